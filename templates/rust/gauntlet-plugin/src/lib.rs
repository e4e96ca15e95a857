//! Plugins of gauntlet in Rust. `abi` is the header gauntlet/plugin.h; below are short forms of what most
//! plugins need. Pointers that a hook receives are the host's and valid until the hook returns.

/// A constant C string.
#[macro_export]
macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const std::os::raw::c_char
    };
}

pub mod abi;

use abi::*;
use core::ffi::c_void;
use core::ptr::null;
use std::ffi::CString;
use std::os::raw::c_char;

/// A value in a static whose raw pointers point to constants.
#[repr(transparent)]
pub struct Constant<T>(pub T);
unsafe impl<T> Sync for Constant<T> {}

/// The services of the host.
#[derive(Clone, Copy)]
pub struct Host(pub *const gnt_host);

impl Host {
    fn get(&self) -> &gnt_host {
        unsafe { &*self.0 }
    }

    pub fn should_stop(&self) -> bool {
        unsafe { (self.get().should_stop.unwrap())(self.get().context) != 0 }
    }

    /// Stores the reason of a failure and returns GNT_FAILED.
    pub fn fail(&self, reason: &str) -> gnt_status {
        let reason = CString::new(reason.replace('\0', "?")).unwrap();
        unsafe { (self.get().fail.unwrap())(self.get().context, reason.as_ptr()) }
    }

    /// Stores why this combination cannot work and returns GNT_UNSUPPORTED.
    pub fn unsupported(&self, reason: &str) -> gnt_status {
        self.fail(reason);
        GNT_UNSUPPORTED
    }

    /// Reports a number about the plugin itself; `name` is a `text!`.
    pub fn fact(&self, name: *const c_char, value: f64) {
        unsafe { (self.get().fact.unwrap())(self.get().context, name, value) }
    }

    /// Fills `out` with normal numbers of the stream `name`, a `text!`: mean 0, deviation 1.
    pub fn normal(&self, name: *const c_char, out: &mut [f32]) {
        let host = self.get();
        unsafe { (host.normal.unwrap())(host.context, name, out.len() as i64, out.as_mut_ptr()) }
    }

    /// The task's model.
    pub fn model(&self) -> &gnt_model_info {
        unsafe { &*(*self.get().model).info }
    }
}

/// The n values at a pointer of the host, which may be NULL if n is 0.
///
/// # Safety
/// The pointer points to n values that nobody changes while the slice exists.
pub unsafe fn slice<'a, T>(at: *const T, n: i64) -> &'a [T] {
    if n > 0 {
        core::slice::from_raw_parts(at, n as usize)
    } else {
        &[]
    }
}

impl gnt_views {
    pub fn list(&self) -> &[gnt_view] {
        unsafe { slice(self.view, self.n) }
    }
}

impl gnt_view {
    pub fn entries(&self) -> &[f32] {
        unsafe { slice(self.data, self.count) }
    }
}

impl gnt_tensors {
    pub fn list(&mut self) -> &mut [gnt_tensor] {
        if self.n > 0 {
            unsafe { core::slice::from_raw_parts_mut(self.tensor, self.n as usize) }
        } else {
            &mut []
        }
    }
}

impl gnt_tensor {
    pub fn entries(&mut self) -> &mut [f32] {
        if self.count > 0 {
            unsafe { core::slice::from_raw_parts_mut(self.data, self.count as usize) }
        } else {
            &mut []
        }
    }
}

/// A real parameter. `direction` is 1 or −1 for the strength, the first being stronger if larger, else 0.
/// Texts are made by `text!`.
#[allow(clippy::too_many_arguments)]
pub const fn real(
    id: *const c_char,
    least: f64,
    most: f64,
    preset: f64,
    scale: i32,
    direction: i32,
    unit: *const c_char,
    help: *const c_char,
) -> gnt_parameter {
    gnt_parameter {
        id,
        kind: GNT_TYPE_REAL,
        scale,
        unit,
        least,
        most,
        preset,
        preset_text: null(),
        choices: null(),
        strength: direction,
        reserved: 0,
        help,
        member: 0,
        reserved_word: 0,
    }
}

/// The values of a plugin's parameters, in the order of its table, as `create` gets them.
///
/// # Safety
/// `values` points to at least n values.
pub unsafe fn values<'a>(values: *const gnt_value, n: usize) -> &'a [gnt_value] {
    slice(values, n as i64)
}

/// Makes the instance; for `create`.
pub fn new<T>(instance: T) -> *mut c_void {
    Box::into_raw(Box::new(instance)) as *mut c_void
}

/// Frees an instance that `new` made; for `destroy`.
///
/// # Safety
/// `this` was made by `new::<T>` and is not used afterwards.
pub unsafe extern "C" fn free<T>(this: *mut c_void) {
    drop(Box::from_raw(this as *mut T));
}

/// A defense without hooks, for `gnt_defense { …, ..NO_DEFENSE_HOOKS }`.
pub const NO_DEFENSE_HOOKS: gnt_defense = gnt_defense {
    size: core::mem::size_of::<gnt_defense>() as u32,
    reserved: 0,
    prepare: None,
    contribute_size: None,
    contribute: None,
    receive_sum: None,
    encode_set: None,
    encode_batch: None,
    local_rate: None,
    client_update: None,
    transform_update: None,
    aggregate: None,
    save: None,
    load: None,
    encode_query: None,
};

/// An attack without hooks.
pub const NO_ATTACK_HOOKS: gnt_attack = gnt_attack {
    size: core::mem::size_of::<gnt_attack>() as u32,
    reserved: 0,
    prepare: None,
    run: None,
    broadcast: None,
};

/// A descriptor whose other members are 0, for `gnt_descriptor { …, ..descriptor(…) }`. `licence` is an SPDX
/// identifier; `kind` is GNT_PLUGIN_DEFENSE or GNT_PLUGIN_ATTACK.
pub const fn descriptor(
    kind: i32,
    id: *const c_char,
    version: *const c_char,
    line: *const c_char,
    licence: *const c_char,
) -> gnt_descriptor {
    gnt_descriptor {
        size: core::mem::size_of::<gnt_descriptor>() as u32,
        kind,
        id,
        version,
        line,
        licence,
        citation: text!(""),
        parameters: null(),
        n_parameters: 0,
        scope: GNT_SCOPE_NONE,
        surfaces: 0,
        goals: 0,
        needs: 0,
        uses: 0,
        data_kinds: 0,
        flags: 0,
        services: null(),
        create: None,
        destroy: None,
        defense: null(),
        attack: null(),
        families: null(),
        instance_size: 0,
        start: None,
        stop: None,
        conditions: 0,
        reserved: 0,
        least_public: 0,
        least_shadow: 0,
    }
}

/// Defines the entry of a plugin with one descriptor, a static of type `Constant<gnt_descriptor>`.
#[macro_export]
macro_rules! define_entry {
    ($descriptor:ident) => {
        unsafe extern "C" fn descriptor_at(index: i32) -> *const $crate::abi::gnt_descriptor {
            if index == 0 {
                &$descriptor.0
            } else {
                core::ptr::null()
            }
        }

        static ENTRY: $crate::Constant<$crate::abi::gnt_entry> = $crate::Constant($crate::abi::gnt_entry {
            magic: $crate::abi::GNT_ABI_MAGIC,
            size: core::mem::size_of::<$crate::abi::gnt_entry>() as u32,
            abi_major: $crate::abi::GNT_ABI_MAJOR as u16,
            abi_minor: $crate::abi::GNT_ABI_MINOR as u16,
            pointer_size: core::mem::size_of::<*const u8>() as u32,
            build: $crate::text!("rustc"),
            n_plugins: 1,
            reserved: 0,
            descriptor: Some(descriptor_at),
        });

        #[no_mangle]
        pub extern "C" fn gauntlet_entry() -> *const $crate::abi::gnt_entry {
            &ENTRY.0
        }
    };
}
