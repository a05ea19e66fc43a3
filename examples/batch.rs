//! Decodes images into one batch of floats for a network, and prints which files are bad:
//!
//!     batch FILE...
//!
//! The declarations are those of capi/spool_base.h and spool_image.h that the program needs; bindgen writes all of them.

use std::ffi::{c_char, c_void, CStr, CString};
use std::{env, fmt, process, ptr, slice};

const ABI: i32 = 3;
const SKIP: i32 = 1;

#[repr(C)]
struct RawError {
    status: i32,
    library_code: i32,
    class: [c_char; 32],
    op: [c_char; 32],
    library: [c_char; 32],
    file: [c_char; 4096],
    text: [c_char; 4096],
}

#[repr(C)]
struct Source {
    path: *const c_char,
    data: *const c_void,
    size: usize,
    name: *const c_char,
}

#[repr(C)]
struct View {
    data: *const c_void,
    size: i64,
    dtype_code: i32,
    dtype_bits: i32,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    layout: [c_char; 12],
    shape: [i64; 8],
    strides: [i64; 8],
}

#[repr(C)]
struct ImagesOptions {
    struct_size: u32,
    on_error: i32,
    threads: i32,
    reserved: i32,
    out: *mut c_void,
    out_size: usize,
    seed: u64,
    epoch: u64,
    ids: *const u64,
    statuses: *mut i32,
    regions: *mut c_void,
    cancel: *mut c_void,
}

#[link(name = "spool")]
extern "C" {
    fn spool_abi() -> i32;
    fn spool_image_spec_new(json: *const c_char, spec: *mut *mut c_void, error: *mut RawError) -> i32;
    fn spool_image_spec_release(spec: *mut c_void);
    fn spool_array_describe(array: *const c_void, view: *mut View);
    fn spool_array_release(array: *mut c_void);
    fn spool_decode_images(
        spec: *mut c_void,
        sources: *const Source,
        n: i64,
        options: *const ImagesOptions,
        pixels: *mut *mut c_void,
        failures: *mut *mut c_void,
        error: *mut RawError,
    ) -> i32;
}

/// An error of the library.
struct Error {
    class: String,
    text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.text)
    }
}

/// Calls a function that can fail.
fn call(function: impl FnOnce(*mut RawError) -> i32) -> Result<(), Error> {
    let mut raw: Box<RawError> = unsafe { Box::new(std::mem::zeroed()) };
    if function(&mut *raw) == 0 {
        return Ok(());
    }
    let text = |from: &[c_char]| unsafe { CStr::from_ptr(from.as_ptr()) }.to_string_lossy().into_owned();
    Err(Error { class: text(&raw.class), text: text(&raw.text) })
}

/// Options for decoding images.
struct Spec(*mut c_void);

impl Spec {
    fn new(json: &str) -> Result<Spec, Error> {
        let json = CString::new(json).expect("options without NUL");
        let mut handle = ptr::null_mut();
        call(|error| unsafe { spool_image_spec_new(json.as_ptr(), &mut handle, error) })?;
        Ok(Spec(handle))
    }
}

impl Drop for Spec {
    fn drop(&mut self) {
        unsafe { spool_image_spec_release(self.0) }
    }
}

/// Memory of the library. It may be NULL, which has no bytes.
struct Array(*mut c_void);

impl Array {
    fn view(&self) -> Option<View> {
        if self.0.is_null() {
            return None;
        }
        let mut view: View = unsafe { std::mem::zeroed() };
        unsafe { spool_array_describe(self.0, &mut view) };
        Some(view)
    }

    fn of<T>(&self) -> &[T] {
        match self.view() {
            Some(view) => unsafe {
                slice::from_raw_parts(view.data as *const T, view.size as usize / std::mem::size_of::<T>())
            },
            None => &[],
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        unsafe { spool_array_release(self.0) }
    }
}

/// Returns the batch, and the failures as JSON.
fn decode(spec: &Spec, files: &[CString]) -> Result<(Array, Array), Error> {
    let sources: Vec<Source> = files
        .iter()
        .map(|file| Source { path: file.as_ptr(), data: ptr::null(), size: 0, name: ptr::null() })
        .collect();
    let mut options: ImagesOptions = unsafe { std::mem::zeroed() };
    options.struct_size = std::mem::size_of::<ImagesOptions>() as u32;
    options.on_error = SKIP;
    let (mut pixels, mut failures) = (Array(ptr::null_mut()), Array(ptr::null_mut()));
    call(|error| unsafe {
        let n = sources.len() as i64;
        spool_decode_images(spec.0, sources.as_ptr(), n, &options, &mut pixels.0, &mut failures.0, error)
    })?;
    Ok((pixels, failures))
}

fn run() -> Result<(), Error> {
    let files: Vec<CString> = env::args().skip(1).map(|name| CString::new(name).expect("a name")).collect();
    let spec = Spec::new(r#"{"size": "64x64", "layout": "nchw", "dtype": "float32", "mean": 0.5, "std": 0.25}"#)?;
    let (pixels, failures) = decode(&spec, &files)?;
    if let Some(view) = pixels.view() {
        let floats: &[f32] = pixels.of();
        let mean = floats.iter().map(|&x| f64::from(x)).sum::<f64>() / floats.len().max(1) as f64;
        println!("{:?}, mean {:.3}", &view.shape[..view.ndim as usize], mean);
    }
    if failures.view().is_some() {
        println!("{}", String::from_utf8_lossy(failures.of()));
    }
    Ok(())
}

fn main() {
    if unsafe { spool_abi() } != ABI {
        eprintln!("the program was written for another libspool");
        process::exit(1);
    }
    if let Err(error) = run() {
        eprintln!("{error}");
        process::exit(1);
    }
}
