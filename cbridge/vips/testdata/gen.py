#!/usr/bin/env python3
"""Makes this folder's pictures and golden.json, which says what is in them.

PNG and TIFF are written here, sample by sample, so that what has to come out is known without any
decoder. For the other formats the reference is Pillow. Needs numpy, Pillow 12 or later with AVIF, and
cjxl of libjxl for JPEG XL. The files are committed; tests do not run this script.
"""
import hashlib, io, json, os, struct, subprocess, sys, zlib
import numpy as np
from PIL import Image

os.chdir(os.path.dirname(os.path.abspath(__file__)))
W, H = 31, 23
golden = {}


def scene(channels, bits):
    """Smooth slopes, a hard edge and a little noise; every sample value occurs where bits are few."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[0:H, 0:W].astype(float)
    planes = [x / W, y / H, (x + y) / (W + H), 1 - x / W]
    a = np.stack(planes[:channels], -1) * 0.9 + rng.random((H, W, channels)) * 0.1
    a[10:20, 15:40] = 1 - a[10:20, 15:40]
    return np.minimum(a * (1 << bits), (1 << bits) - 1).astype(np.uint32)


def to8(a, bits):
    """What 8-bit output has to be: few bits spread over the range, of 16 the high byte."""
    return (a >> 8 if bits == 16 else a * 255 // ((1 << bits) - 1)).astype(np.uint8)


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def add(name, data, pixels, **header):
    """pixels: (H, W, 1|2|3|4) uint8 as stored; header: what ReadHeader has to say of it."""
    open(name, 'wb').write(data)
    entry = dict(format=name.split('.')[-1], width=W, height=H, bits=8, pages=1, orientation=1, alpha=False)
    if pixels is not None:
        c = pixels.shape[2]
        rgb = pixels[:, :, :3] if c >= 3 else np.repeat(pixels[:, :, :1], 3, 2)
        alpha = pixels[:, :, -1:] if c in (2, 4) else np.full_like(pixels[:, :, :1], 255)
        entry.update(height=pixels.shape[0], width=pixels.shape[1], color='gray' if c < 3 else 'rgb', alpha=c in (2, 4),
                     rgb=sha(rgb), rgba=sha(np.concatenate([rgb, alpha], 2)))
        if c < 3:
            entry['gray'] = sha(pixels[:, :, :1])
    entry.update(header)
    golden[name] = entry


def near(name, data, rgb, mean, **header):
    """As add, for decoders that differ among themselves: the reference lies beside as NAME.rgb."""
    add(name, data, rgb, **header)
    np.ascontiguousarray(rgb).tofile(name + '.rgb')
    for key in ('rgb', 'rgba', 'gray'):
        golden[name].pop(key, None)
    golden[name]['mean'] = mean


# --- PNG ---------------------------------------------------------------------------------------

def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def pack(rows, bits):
    """Samples of (h, n) to the bytes of each row, most significant bit first."""
    if bits == 16:
        return [r.astype('>u2').tobytes() for r in rows]
    return [np.packbits(((r[:, None] >> np.arange(bits - 1, -1, -1)) & 1).astype(np.uint8)).tobytes() for r in rows]


def png(a, bits, kind, interlaced=False, extra=b''):
    adam7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    raw = b''
    for x, y, dx, dy in adam7 if interlaced else [(0, 0, 1, 1)]:
        part = a[y::dy, x::dx]
        if part.size:
            raw += b''.join(b'\0' + r for r in pack(part.reshape(part.shape[0], -1), bits))
    ihdr = struct.pack('>IIBBBBB', a.shape[1], a.shape[0], bits, kind, 0, 0, int(interlaced))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', ihdr) + extra + chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b'')


for kind, channels, depths in ((0, 1, (1, 2, 4, 8, 16)), (2, 3, (8, 16)), (4, 2, (8, 16)), (6, 4, (8, 16))):
    for bits in depths:
        a = scene(channels, bits)
        label = {0: 'gray', 2: 'rgb', 4: 'la', 6: 'rgba'}[kind] + str(bits)
        header = dict(bits=max(bits, 8))
        add(label + '.png', png(a, bits, kind), to8(a, bits), **header)
        if bits in (1, 8, 16) and kind in (0, 2):
            add(label + '.interlaced.png', png(a, bits, kind, interlaced=True), to8(a, bits), **header)
for bits in (1, 2, 4, 8):
    a = scene(1, bits)
    table = np.random.default_rng(bits).integers(0, 256, (1 << bits, 3), np.uint8)
    rgb = table[a[:, :, 0]]
    add('palette%d.png' % bits, png(a, bits, 3, extra=chunk(b'PLTE', table.tobytes())), rgb)
    opacity = np.arange(len(table), dtype=np.uint8)[::-1].copy()
    extra = chunk(b'PLTE', table.tobytes()) + chunk(b'tRNS', opacity.tobytes())
    add('palette%d.trns.png' % bits, png(a, bits, 3, interlaced=bits == 4, extra=extra),
        np.concatenate([rgb, opacity[a]], 2))
for kind, label, channels in ((0, 'gray8', 1), (2, 'rgb8', 3)):
    a = scene(channels, 8)
    key = a[5, 5]
    alpha = np.where((a == key).all(-1, keepdims=True), 0, 255).astype(np.uint8)
    add(label + '.trns.png', png(a, 8, kind, extra=chunk(b'tRNS', key.astype('>u2').tobytes())),
        np.concatenate([to8(a, 8), alpha], 2))
exif = b'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0'
add('rgb8.exif6.png', png(scene(3, 8), 8, 2, extra=chunk(b'eXIf', exif)), to8(scene(3, 8), 8), orientation=6)

# --- TIFF --------------------------------------------------------------------------------------


def tiff(pages, order='<'):
    """pages: lists of (array, bits, photometric, options); options: tile, planar, deflate, and tags."""
    mark = b'II*\0' if order == '<' else b'MM\0*'
    out = bytearray(mark + b'\0\0\0\0')
    link = 4
    for a, bits, photometric, o in pages:
        h, w, n = a.shape

        def encode(block):
            if bits == 16:
                data = block.astype(order + 'u2').tobytes()
            elif bits == 32:
                data = block.astype(order + 'f4').tobytes()
            else:
                data = b''.join(pack(block.reshape(block.shape[0], -1), bits))
            return zlib.compress(data, 9) if o.get('deflate') else data

        parts = [a[:, :, i:i + 1] for i in range(n)] if o.get('planar') else [a]
        blocks = []
        for part in parts:
            if 'tile' in o:
                t = o['tile']
                padded = np.pad(part, ((0, -h % t), (0, -w % t), (0, 0)))
                blocks += [encode(padded[y:y + t, x:x + t]) for y in range(0, h, t) for x in range(0, w, t)]
            else:
                blocks += [encode(part[y:y + o.get('rows', 10)]) for y in range(0, h, o.get('rows', 10))]
        offsets = []
        for b in blocks:
            offsets.append(len(out))
            out += b + b'\0' * (len(b) % 2)
        tags = {256: (4, [w]), 257: (4, [h]), 258: (3, [bits] * n), 259: (3, [8 if o.get('deflate') else 1]),
                262: (3, [photometric]), 277: (3, [n]), 284: (3, [2 if o.get('planar') else 1])}
        if 'tile' in o:
            tags.update({322: (3, [o['tile']]), 323: (3, [o['tile']]), 324: (4, offsets), 325: (4, [len(b) for b in blocks])})
        else:
            tags.update({278: (4, [o.get('rows', 10)]), 273: (4, offsets), 279: (4, [len(b) for b in blocks])})
        tags.update(o.get('tags', {}))
        ifd = bytearray(struct.pack(order + 'H', len(tags)))
        later = len(out) + 2 + 12 * len(tags) + 4
        tail = bytearray()
        for tag, (kind, values) in sorted(tags.items()):
            data = struct.pack(order + str(len(values)) + {3: 'H', 4: 'I'}[kind], *values)
            if len(data) <= 4:
                value = data.ljust(4, b'\0')
            else:
                value = struct.pack(order + 'I', later + len(tail))
                tail += data
            ifd += struct.pack(order + 'HHI', tag, kind, len(values)) + value
        struct.pack_into(order + 'I', out, link, len(out))
        link = len(out) + len(ifd)
        out += ifd + b'\0\0\0\0' + tail
    return bytes(out)


def picture(name, a, bits, photometric, pixels=None, order='<', header={}, **o):
    data = tiff([(a, bits, photometric, o)], order)
    expected = to8(a, bits) if pixels is None else pixels
    add(name, data, expected, **{**dict(bits=max(bits, 8)), **header})
    try:  # a cross-check of this script
        seen = np.asarray(Image.open(io.BytesIO(data)).convert('RGB'))
        rgb = expected[:, :, :3] if expected.shape[2] >= 3 else np.repeat(expected[:, :, :1], 3, 2)
        if bits < 16 and not (seen == rgb).all():
            print('Pillow differs:', name, np.abs(seen.astype(int) - rgb).max())
    except Exception as e:
        print('Pillow does not read', name, e)


for bits in (1, 4, 8, 16):
    picture('gray%d.tif' % bits, scene(1, bits), bits, 1)
picture('white8.tif', scene(1, 8), 8, 0, 255 - to8(scene(1, 8), 8))
picture('rgb8.tif', scene(3, 8), 8, 2)
picture('rgb8.deflate.tif', scene(3, 8), 8, 2, deflate=True)
picture('rgb8.one-strip.tif', scene(3, 8), 8, 2, rows=H)
picture('rgb8.planar.tif', scene(3, 8), 8, 2, planar=True)
picture('rgb8.tiled.tif', scene(3, 8), 8, 2, tile=16)
picture('rgb8.tiled.deflate.tif', scene(3, 8), 8, 2, tile=32, deflate=True)
picture('rgb8.big-endian.tif', scene(3, 8), 8, 2, order='>')
picture('rgb16.tif', scene(3, 16), 16, 2)
picture('rgb16.big-endian.tif', scene(3, 16), 16, 2, order='>')
picture('rgb8.exif6.tif', scene(3, 8), 8, 2, tags={274: (3, [6])}, header=dict(orientation=6))
picture('rgba8.tif', scene(4, 8), 8, 2, tags={338: (3, [2])})
cmyk = scene(4, 8).astype(int)
white = 255 - cmyk[:, :, 3:]
t = cmyk[:, :, :3] * white + 128
mixed = (white - ((t >> 8) + t >> 8)).astype(np.uint8)
picture('cmyk8.tif', scene(4, 8), 8, 5, mixed, header=dict(color='cmyk'))
table = np.random.default_rng(3).integers(0, 256, (256, 3))
picture('palette8.tif', scene(1, 8), 8, 3, table[scene(1, 8)[:, :, 0]].astype(np.uint8),
        tags={320: (3, [int(v) * 257 for v in table.T.reshape(-1)])})
two = scene(3, 8)
add('pages.tif', tiff([(two, 8, 2, {}), (255 - two[:20, :30], 8, 2, {})]), to8(two, 8), pages=2)
golden['pages.tif']['page1'] = dict(width=30, height=20, rgb=sha((255 - two[:20, :30]).astype(np.uint8)))
add('float.tif', tiff([(scene(1, 8) / 255.0, 32, 1, dict(tags={339: (3, [3])}))]), None, color='other', bits=32)
add('signed.tif', tiff([(scene(1, 8), 8, 1, dict(tags={339: (3, [2])}))]), None, color='other')
add('lab.tif', tiff([(scene(3, 8), 8, 8, {})]), None, color='other')


def saved(image, kind, **o):
    f = io.BytesIO()
    image.save(f, kind, **o)
    return f.getvalue()


def opened(data, mode):
    image = Image.open(io.BytesIO(data))
    a = np.asarray(image.convert(mode))
    return a if a.ndim == 3 else a[:, :, None]


rgb = Image.fromarray(to8(scene(3, 8), 8))
rgba = Image.fromarray(to8(scene(4, 8), 8))
gray = Image.fromarray(to8(scene(1, 8), 8)[:, :, 0])
data = saved(rgb, 'TIFF', compression='tiff_lzw')
add('rgb8.lzw.tif', data, opened(data, 'RGB'))
data = saved(rgb, 'TIFF', compression='jpeg')
add('rgb8.jpeg.tif', data, opened(data, 'RGB'))

# --- WebP --------------------------------------------------------------------------------------

for label, image, o in (('lossy', rgb, dict(quality=80)), ('lossless', rgb, dict(lossless=True)),
                        ('alpha', rgba, dict(lossless=True, exact=True)), ('lossy.alpha', rgba, dict(quality=80))):
    data = saved(image, 'WEBP', **o)
    add(label + '.webp', data, opened(data, image.mode))
frames = [Image.fromarray(np.roll(to8(scene(3, 8), 8), 9 * i, 1)) for i in range(3)]
data = saved(frames[0], 'WEBP', save_all=True, append_images=frames[1:], lossless=True)
add('animated.webp', data, opened(data, 'RGB'), pages=3)
golden['animated.webp']['page1'] = dict(width=W, height=H, rgb=sha(np.asarray(frames[1])))
data = saved(rgb, 'WEBP', lossless=True, exif=b'Exif\0\0' + exif)
add('exif6.webp', data, opened(data, 'RGB'), orientation=6)


def riff(kind, data):
    return kind + struct.pack('<I', len(data)) + data + b'\0' * (len(data) % 2)


small = saved(rgb.crop((0, 0, 20, 10)), 'WEBP', lossless=True)[12:]
u24 = lambda v: struct.pack('<I', v)[:3]
canvas = riff(b'VP8X', b'\x02\0\0\0' + u24(W - 1) + u24(H - 1)) + riff(b'ANIM', b'\0' * 6)
canvas += riff(b'ANMF', u24(4) + u24(3) + u24(19) + u24(9) + u24(100) + b'\0' + small)
data = b'RIFF' + struct.pack('<I', len(canvas) + 4) + b'WEBP' + canvas
inset = np.zeros((H, W, 4), np.uint8)
inset[6:16, 8:28, :3] = np.asarray(rgb)[:10, :20]
inset[6:16, 8:28, 3] = 255
add('inset.webp', data, inset)

# --- GIF ---------------------------------------------------------------------------------------

indexed = rgb.quantize(64)
for label, o in (('opaque', dict(interlace=0)), ('interlaced', dict(interlace=1))):
    data = saved(indexed, 'GIF', **o)
    add(label + '.gif', data, opened(data, 'RGB'))
data = saved(indexed, 'GIF', transparency=indexed.getpixel((30, 12)), background=5)
entry = opened(data, 'RGBA').copy()
palette = np.array(Image.open(io.BytesIO(data)).getpalette()).reshape(-1, 3)
clear = entry[:, :, 3] == 0
drop = entry.copy()
drop[clear, :3] = palette[5]
add('transparent.gif', data, drop)
entry[clear] = 0
golden['transparent.gif']['rgba'] = sha(entry)
data = saved(frames[0].quantize(32), 'GIF', save_all=True, append_images=[f.quantize(32) for f in frames[1:]])
add('animated.gif', data, opened(data, 'RGB'), pages=3, alpha=True)  # of the later frames
del golden['animated.gif']['rgba']

# --- AVIF, JPEG 2000, JPEG XL ------------------------------------------------------------------

smooth = Image.fromarray(np.asarray(rgb.resize((16, 12))).astype(np.uint8)).resize((W, H), Image.Resampling.BICUBIC)
# libheif 1.15 repeats a chroma sample for the pixels that share it, where Pillow's libavif interpolates.
for label, o, mean in (('yuv444', dict(subsampling='4:4:4'), 0.5), ('yuv420', dict(subsampling='4:2:0'), 3)):
    data = saved(smooth, 'AVIF', quality=90, **o)
    near(label + '.avif', data, opened(data, 'RGB'), mean)
data = saved(smooth, 'AVIF', quality=90, subsampling='4:4:4', exif=exif)
near('turned.avif', data, opened(data, 'RGB') if Image.open(io.BytesIO(data)).size == (H, W) else
     np.rot90(opened(data, 'RGB'), 3), 0.5)
data = saved(Image.merge('RGBA', (*smooth.split(), gray)), 'AVIF', quality=90, subsampling='4:4:4')
near('alpha.avif', data, opened(data, 'RGB'), 0.5, alpha=True)

for label, image, o in (('rgb', rgb, {}), ('gray', gray, {}), ('rgba', rgba, {}), ('tiled', rgb, dict(tile_size=(32, 32))),
                        ('codestream', rgb, dict(no_jp2=True))):
    data = saved(image, 'JPEG2000', irreversible=False, **o)
    assert (opened(data, image.mode) == (np.asarray(image) if image.mode != 'L' else np.asarray(image)[:, :, None])).all()
    add(label + '.jp2', data, opened(data, image.mode))
deep = Image.fromarray(scene(1, 16)[:, :, 0].astype(np.uint16))
add('gray16.jp2', saved(deep, 'JPEG2000', irreversible=False), to8(scene(1, 16), 16), bits=16)

cjxl = os.environ.get('CJXL', 'cjxl')


def jxl(name, source, *options):
    subprocess.run([cjxl, source, name, '--quiet', '-e', '3', *options], check=True, stderr=subprocess.DEVNULL)
    return open(name, 'rb').read()


for source, pixels, header in (('rgb8.png', to8(scene(3, 8), 8), {}), ('gray8.png', to8(scene(1, 8), 8), {}),
                               ('rgba8.png', to8(scene(4, 8), 8), {}), ('rgb16.png', to8(scene(3, 16), 16), dict(bits=16))):
    name = source.replace('.png', '.jxl')
    add(name, jxl(name, source, '-d', '0'), pixels, **header)
add('container.jxl', jxl('container.jxl', 'rgb8.png', '-d', '0', '--container=1'), to8(scene(3, 8), 8))
frames[0].save('tmp.png', save_all=True, append_images=frames[1:], duration=100)
add('animated.jxl', jxl('animated.jxl', 'tmp.png', '-d', '0'), None, color='rgb', pages=0)
os.remove('tmp.png')
smooth.save('tmp.jpg', quality=100, subsampling=0, exif=b'Exif\0\0' + exif)
near('turned.jxl', jxl('turned.jxl', 'tmp.jpg', '-j', '0', '-d', '0.2'), np.rot90(np.asarray(smooth), 3), 1.5)
os.remove('tmp.jpg')

json.dump(golden, open('golden.json', 'w'), indent=1, sort_keys=True)
print(len(golden), 'pictures,', sum(os.path.getsize(n) for n in golden) // 1024, 'KB; Pillow', Image.__version__, file=sys.stderr)
