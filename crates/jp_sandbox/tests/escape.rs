//! Attempts to get out of the sandbox, one small script each, in `tests/escape`.
//!
//! Each is first shown to work without a sandbox, by the same user, so that the test can fail; then it
//! has to be contained in namespaces, and where its header says so under Landlock alone. A script
//! prints `ESCAPED` and exits with 0 when it got what it wanted, or prints `contained: …` and exits
//! with 3. Whatever else it does is a mistake of the script and fails the test.
//!
//! When the tests run as root, each attempt is made twice: as root, and as `nobody`, for whom the
//! helper is started through `setpriv`. Otherwise it is made as whoever runs the tests.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files and processes")]
#![expect(clippy::print_stdout, reason = "a failure is read with how each run went")]

#[path = "support/escape/fixture.rs"]
mod fixture;
#[path = "support/escape/header.rs"]
mod header;
#[path = "support/escape/host.rs"]
mod host;
#[path = "support/escape/run.rs"]
mod run;
#[path = "support/escape/views.rs"]
mod views;

use std::{collections::BTreeSet, path::Path};

use self::{
    fixture::{Fixture, User},
    header::{Header, Plain},
    run::Outcome,
};

/// A test for each attempt of each group, and the list of them all.
macro_rules! attempts {
    ($($group:ident { $($name:ident)* })*) => {
        $(mod $group { $(#[test] fn $name() { super::attempt(stringify!($group), stringify!($name)); })* })*
        const LISTED: &[(&str, &str)] = &[$($((stringify!($group), stringify!($name)),)*)*];
    };
}

attempts! {
    descriptors {
        device_links
        directory_opened_before
        from_a_process
        from_a_socket
        from_a_visible_socket
        inherited
        input_directory_entered
        input_is_directory
        input_mode
        input_reopened
        named_by_descriptor
        none_above_two
        path_reopened
        root_by_descriptor
    }
    environment {
        ignored_signals
        umask
        variables
        variables_by_shell
    }
    exec {
        anonymous_code
        deleted_file
        file_capabilities
        itself_only
        itself_only_by_descriptor
        itself_only_many
        library
        loader
        mapped
        mapped_then_protected
        memory_file
        memory_file_by_descriptor
        no_execute_place
        personality
        script_by_interpreter
        setuid
        unnamed_file
        written_interpreted
        written_program
    }
    ipc {
        key_join
        key_request
        keys
        message_queue
        named_queue
        shared_files
        shared_memory
    }
    kernel {
        accounting
        bpf
        capabilities
        file_handle
        file_handle_name
        foreign_numbers
        host_name
        io_uring
        log
        module
        negative_number
        no_new_privileges
        old_calls
        old_mount
        page_faults
        perf
        quotas
        watch_everything
    }
    lifetime {
        blind_supervisor
        deaf
        double_fork
        hopping
        many
        not_tied_to_parent
        own_reaper
        session
        stopped
    }
    namespaces {
        bind
        change_root
        clone3_into_cgroup
        clone3_user
        clone_user
        clone_user_high_bits
        join
        join_by_process
        mount
        mount_attributes
        new_mount
        open_tree
        open_tree_attributes
        pick_mount
        pivot
        remount
        unmount
        unshare_each
        unshare_user
    }
    paths {
        attributes_of_read_only
        cgroup
        change_directory_outside
        chmod_outside
        chmod_read_only
        chown_read_only
        device_node
        devices
        dot_dot_from_cwd
        flags_of_read_only
        hard_link_from_outside
        hard_link_of_hidden
        hard_link_of_program
        hard_link_of_read_only
        hidden_directory
        hidden_file
        hidden_names
        link_of_the_host
        link_to_outside
        mapped_write
        memory_node
        new_root_entries
        odd_spellings
        outside_absolute
        overlay_marks
        private_is_private
        recreate_hidden
        remove_read_only
        rename_ancestor
        rename_hidden
        rename_into_read_only
        rename_read_only
        self_root
        stat_hidden
        times_of_read_only
        truncate_read_only
        watch_hidden
        write_etc
        write_read_only
        write_sys
        write_through_self_root
        write_usr
    }
    proc {
        first_descriptors
        first_environ
        first_memory
        first_program
        first_root
        interrupts
        kernel_log
        kernel_memory
        kernel_settings
        kernel_settings_by_mode
        mount_table
        neighbor_descriptor
        neighbor_environ
        neighbor_list
        neighbor_memory
        neighbor_root
        system_request
        uid_map
    }
    processes {
        compare
        join_group
        limit_neighbor
        pin_neighbor
        queue_signal
        read_memory
        schedule_neighbor
        signal_by_descriptor
        signal_by_file
        signal_everybody
        signal_first
        signal_neighbor
        signal_parent
        slow_neighbor
        trace
        trace_child
        trace_me
        write_memory
    }
    renames {
        ancestor_exchanged_all_the_time
        ancestor_made
        ancestor_replaced
        atomic_save
        atomic_save_unseen
        cwd_moved_outside
        descriptor_moved_outside
        directory_swapped_for_link
        exchange
        file_becomes_directory
        file_becomes_directory_seen
        hidden_directory
        hidden_directory_exchanged
        hidden_directory_removed
        hidden_replaced_in_judged
        link_becomes_directory
        link_swapped_all_the_time
        mounted_below
        mounted_below_judged
        place_is_link_at_start
        place_made_later
        read_only_replaced
        read_only_replaced_in_judged
        remove_and_make
        saving_all_the_time
        visible_place_becomes_link
        workspace_replaced
    }
    resources {
        core_dump
        file_size
        fork_bomb
        memory
        open_files
        private_files
        private_size
        private_together
        processes
        processor_time
        raise_limits
        shared_memory_size
        threads
    }
    sockets {
        abstract_datagram
        abstract_name
        abstract_on_shared_network
        algorithms
        configure_routes
        configure_shared_network
        fast_open
        listen
        listen_without_bind
        multipath
        multipath_fast_open
        netlink
        packet
        packet_on_shared_network
        pair_bound_to_name
        pair_bound_to_name_of_host
        pair_connects_to_path
        pair_of_rare_family
        pair_of_rare_family_on_shared_network
        pair_sends_on_shared_network
        pair_sends_to_path
        path_outside
        path_outside_on_shared_network
        path_visible
        path_writable
        rare_families
        raw
        tcp
        tcp_mapped
        tcp_other_loopback
        tcp_with_proxy
        udp
        vsock
    }
    terminal {
        console
        controlling
        typing
        typing_high_bits
    }
    whole_view {
        devices
        from_a_visible_socket
        hidden_file
        hidden_file_saved
        input_is_directory
        input_reopened
        neighbor
        write_anywhere
        write_kernel_settings
    }
}

#[test]
fn none_is_forgotten() {
    let listed: BTreeSet<String> =
        LISTED.iter().map(|(group, name)| format!("{group}/{name}")).collect();
    let groups: BTreeSet<&str> = LISTED.iter().map(|(group, _)| *group).collect();
    let mut there = BTreeSet::new();
    for group in std::fs::read_dir(scripts()).unwrap().map(|entry| entry.unwrap().path()) {
        let name = group.file_name().unwrap().to_str().unwrap().to_owned();
        if !group.is_dir() || name == "__pycache__" {
            continue;
        }
        assert!(groups.contains(name.as_str()), "`{name}` is no group of attempts");
        for script in std::fs::read_dir(&group).unwrap().map(|entry| entry.unwrap().path()) {
            if script.is_file() {
                there.insert(format!("{name}/{}", script.file_stem().unwrap().to_str().unwrap()));
            }
        }
    }
    assert_eq!(listed, there, "the list in this file and the scripts differ");
    assert!(there.len() >= 60);
}

/// Makes one attempt as everybody in every way that its header names.
fn attempt(group: &str, name: &str) {
    let script = ["py", "sh"]
        .map(|extension| format!("{group}/{name}.{extension}"))
        .into_iter()
        .find(|script| scripts().join(script).exists())
        .unwrap_or_else(|| panic!("there is no script {group}/{name}"));
    let header = Header::read(&scripts().join(&script));
    let mut wrong = Vec::new();
    for user in User::all() {
        wrong.extend(attempt_as(user, &header, &script));
    }
    let (tries, escaped) = (&header.tries, &header.escaped);
    assert!(
        wrong.is_empty(),
        "{script} tries: {tries}\nit is out when: {escaped}\n{}",
        wrong.join("\n")
    );
}

fn attempt_as(user: User, header: &Header, script: &str) -> Vec<String> {
    let who = if user.is_root() { "root" } else { "an ordinary user" };
    let mut wrong = Vec::new();
    let new = || Fixture::new(user, header.mount.as_deref());
    if header.mount.is_some() && !fixture::is_root() {
        println!("{script}: only root can mount something on the host");
        return wrong;
    }
    let works = match header.plain {
        Plain::Any => true,
        Plain::Root => user.is_root(),
        Plain::Ordinary => !user.is_root(),
    };
    if works {
        match run::plainly(&mut new(), header, script) {
            Outcome::Escaped(_) => {}
            // The machine cannot show it. What confines it is tried all the same.
            Outcome::Missing(what) => println!("{script}: not shown to work as {who}: {what}"),
            other => wrong.push(format!("as {who} without a sandbox it does not work: {other:?}")),
        }
    }
    let contained = header.tiers.iter().map(|tier| (*tier, false));
    for (tier, is_open) in contained.chain(header.open.iter().map(|tier| (*tier, true))) {
        let outcome = run::confined(&mut new(), header, script, tier);
        let is_right = match &outcome {
            Outcome::Escaped(_) => is_open,
            Outcome::Contained(_) | Outcome::Missing(_) => !is_open && header.starts,
            Outcome::NotStarted(_) => !header.starts,
            Outcome::Broken(_) => false,
        };
        println!("{script} as {who} in {tier:?}: {outcome:?}");
        if !is_right {
            let meant = if is_open { "meant to be open" } else { "meant to be contained" };
            wrong.push(format!("as {who} in {tier:?}, {meant}: {outcome:?}"));
        }
    }
    wrong
}

fn scripts() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escape")
}
