//! A proof of who a program is, signed with its key (`private_key_jwt`, RFC 7523).
#![expect(clippy::disallowed_methods, reason = "the key is a file of the user, not of a workspace")]

use std::{fs, io::Read as _};

use base64_simd::URL_SAFE_NO_PAD;
use camino::Utf8Path;
use ring::{
    rand::{SecureRandom as _, SystemRandom},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
        Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use serde_json::json;

use crate::authorize::LoginError;

/// The largest file with a key that is read, in bytes.
const MOST: u64 = 64 * 1024;

/// For how many seconds a proof holds.
const LASTS: u64 = 300;

/// A private key. It is not printed.
pub(super) struct Key {
    path: camino::Utf8PathBuf,
    pair: Pair,
}

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl Key {
    /// Reads a key in the form of PEM.
    pub(super) fn read(path: &Utf8Path) -> Result<Self, LoginError> {
        let failed = |why: String| LoginError::Key { path: path.to_owned(), why };
        let mut pem = Vec::new();
        let read = fs::File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut pem));
        read.map_err(|error| failed(error.to_string()))?;
        let unknown = "it is not a key for ES256, ES384, EdDSA or RS256 in the form of PKCS #8";
        let pair = PrivateKeyDer::from_pem_slice(&pem).ok().and_then(|key| Pair::of(&key));
        let pair = pair.ok_or_else(|| failed(unknown.to_owned()))?;
        Ok(Self { path: path.to_owned(), pair })
    }

    /// What the signature is called.
    pub(super) fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::P256(_) => "ES256",
            Pair::P384(_) => "ES384",
            Pair::Ed25519(_) => "EdDSA",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// Says to an authorization server that this is `client`.
    pub(super) fn assertion(
        &self,
        client: &str,
        audience: &str,
        now: u64,
    ) -> Result<String, LoginError> {
        let random = SystemRandom::new();
        let mut id = [0; 16];
        let failed = |_| LoginError::Key { path: self.path.clone(), why: "it cannot sign".into() };
        random.fill(&mut id).map_err(failed)?;
        let header = json!({ "alg": self.algorithm(), "typ": "JWT" });
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "iat": now, "exp": now + LASTS,
            "jti": encode(&id),
        });
        let text = format!(
            "{}.{}",
            encode(header.to_string().as_bytes()),
            encode(claims.to_string().as_bytes())
        );
        let signature = self.pair.sign(&random, text.as_bytes()).map_err(failed)?;
        Ok(format!("{text}.{}", encode(&signature)))
    }
}

impl Pair {
    fn of(key: &PrivateKeyDer<'_>) -> Option<Self> {
        let random = SystemRandom::new();
        let der = key.secret_der();
        match key {
            PrivateKeyDer::Pkcs1(_) => RsaKeyPair::from_der(der).ok().map(Self::Rsa),
            PrivateKeyDer::Pkcs8(_) => {
                let p256 =
                    || EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random);
                let p384 =
                    || EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, der, &random);
                (p256().ok().map(Self::P256))
                    .or_else(|| p384().ok().map(Self::P384))
                    .or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Self::Rsa))
                    .or_else(|| {
                        Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Self::Ed25519)
                    })
            }
            _ => None,
        }
    }

    fn sign(
        &self,
        random: &SystemRandom,
        text: &[u8],
    ) -> Result<Vec<u8>, ring::error::Unspecified> {
        match self {
            Self::P256(pair) | Self::P384(pair) => {
                pair.sign(random, text).map(|signature| signature.as_ref().to_vec())
            }
            Self::Ed25519(pair) => Ok(pair.sign(text).as_ref().to_vec()),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, random, text, &mut signature)?;
                Ok(signature)
            }
        }
    }
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, KeyPair as _, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    fn pem(der: &[u8]) -> String {
        let text = base64_simd::STANDARD.encode_to_string(der);
        format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
    }

    fn key(pem: &str) -> Result<Key, LoginError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), pem).unwrap();
        Key::read(Utf8Path::from_path(file.path()).unwrap())
    }

    #[test]
    fn a_proof_says_who_for_whom_and_how_long_and_is_signed() {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        for (der, name) in [(p256.as_ref(), "ES256"), (ed25519.as_ref(), "EdDSA")] {
            let key = key(&pem(der)).unwrap();
            let proof = key.assertion("me", "https://issuer", 1000).unwrap();
            let (text, signature) = proof.rsplit_once('.').unwrap();
            let signature = URL_SAFE_NO_PAD.decode_to_vec(signature).unwrap();
            match &key.pair {
                Pair::P256(pair) => {
                    let public = pair.public_key().as_ref();
                    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
                    public.verify(text.as_bytes(), &signature).unwrap();
                }
                Pair::Ed25519(pair) => {
                    let public = UnparsedPublicKey::new(&ED25519, pair.public_key().as_ref());
                    public.verify(text.as_bytes(), &signature).unwrap();
                }
                _ => panic!("another kind of key"),
            }
            let (header, claims) = text.split_once('.').unwrap();
            let parse = |part: &str| -> Value {
                serde_json::from_slice(&URL_SAFE_NO_PAD.decode_to_vec(part).unwrap()).unwrap()
            };
            assert_eq!(parse(header)["alg"], name);
            let claims = parse(claims);
            assert_eq!((&claims["iss"], &claims["sub"]), (&json!("me"), &json!("me")));
            assert_eq!((&claims["aud"], &claims["exp"]), (&json!("https://issuer"), &json!(1300)));
            let again = key.assertion("me", "https://issuer", 1000).unwrap();
            assert_ne!(proof, again, "a proof can be told from the one before");
        }
    }

    #[test]
    fn what_is_no_key_is_named_and_not_quoted() {
        for wrong in ["", "hunter2", &pem(b"hunter2")] {
            let Err(error) = key(wrong) else { panic!("{wrong:?}") };
            let error = error.to_string();
            assert!(error.contains("PKCS #8") && !error.contains("hunter2"), "{error}");
        }
        let error = Key::read(Utf8Path::new("/no/such/key")).err().unwrap().to_string();
        assert!(error.contains("/no/such/key"), "{error}");
    }
}
