//! A bucket of S3, or of a service that speaks its protocol.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use opendal::{
    Executor, HttpTransporter, OperationContext, Operator, layers::RetryLayer, services::S3,
};
use opendal_http_transport_reqwest::ReqwestTransport;

use super::{Opened, Options};
use crate::{OpenError, secret::Secrets, store::objects::Objects, tls::client_config};

/// What is passed on to OpenDAL.
const OPTIONS: &[&str] = &[
    "bucket",
    "region",
    "endpoint",
    "access_key_id",
    "secret_access_key",
    "session_token",
    "role_arn",
    "external_id",
    "role_session_name",
    "server_side_encryption",
    "server_side_encryption_aws_kms_key_id",
    "default_storage_class",
    "default_acl",
    "checksum_algorithm",
    "enable_virtual_host_style",
    "enable_request_payer",
    "disable_list_objects_v2",
    "skip_signature",
    "disable_config_load",
    "disable_ec2_metadata",
];
const SECRET: &[&str] = &["access_key_id", "secret_access_key", "session_token", "external_id"];
const SWITCHES: &[&str] = &[
    "enable_virtual_host_style",
    "enable_request_payer",
    "disable_list_objects_v2",
    "skip_signature",
    "disable_config_load",
    "disable_ec2_metadata",
];
/// How often a request is made again that failed in passing, and how long is waited before.
const RETRIES: usize = 2;
const FIRST_DELAY: Duration = Duration::from_millis(200);

pub(super) fn store(given: &BTreeMap<String, String>, root: &str) -> Result<Opened, OpenError> {
    let options = Options::new("s3", given, OPTIONS)?;
    let bucket = options.need("bucket")?;
    options.need("region")?;
    for option in SWITCHES {
        if options.get(option).is_some_and(|value| !matches!(value, "true" | "false")) {
            return Err(options.invalid(option, "is `true` or `false`"));
        }
    }
    let limit = options.limit()?;
    let secrets =
        Secrets::new(SECRET.iter().filter_map(|name| options.get(name)).map(str::to_owned));
    let refused = |reason: String| options.refused(&secrets.hide(&reason));
    let operator = Operator::from_iter::<S3>(config(&options, root));
    let operator = operator.map_err(|error| refused(error.message().to_owned()))?;
    let client = client(limit).map_err(&refused)?;
    let transport = HttpTransporter::new(ReqwestTransport::new(client));
    let context = OperationContext::from_parts(transport, Executor::default());
    let retry = RetryLayer::new().with_max_times(RETRIES).with_min_delay(FIRST_DELAY).with_jitter();
    let operator = operator.with_context(context).layer(retry);
    let place = format!("s3 bucket {bucket}, /{root}");
    Ok((Arc::new(Objects::new(operator, place, secrets, limit)), limit))
}

/// Credentials come from the options. Looking for them in the environment, in files of the user or on the
/// network has to be asked for.
fn config(options: &Options<'_>, root: &str) -> BTreeMap<String, String> {
    let mut config: BTreeMap<String, String> = options.values.clone();
    config.remove(super::TIMEOUT);
    for switch in ["disable_config_load", "disable_ec2_metadata"] {
        config.entry(switch.to_owned()).or_insert_with(|| "true".to_owned());
    }
    config.insert("root".to_owned(), format!("/{root}"));
    config
}

fn client(limit: Duration) -> Result<reqwest::Client, String> {
    let tls = client_config().map_err(|error| format!("cannot encrypt connections: {error}"))?;
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .connect_timeout(limit)
        .read_timeout(limit)
        .build()
        .map_err(|error| format!("cannot make an HTTP client: {error}"))
}
