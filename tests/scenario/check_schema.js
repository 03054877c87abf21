// SPDX-License-Identifier: GPL-3.0-or-later
// usage: node check_schema.js ROOT
// The JSON Schema seen by a program that is not ours: ajv admits every scenario and policy that we ship, and refuses
// every malformed file of tests/scenario/bad that a schema can refuse. bad/beyond_schema.txt lists those it cannot,
// with the reason; a file that is listed there and refused after all is a mistake too, so that the list stays true.
"use strict";
const fs = require("fs");
const path = require("path");
const yaml = require("js-yaml");
const Ajv = require("ajv");

const root = process.argv[2];
const bad = path.join(root, "tests/scenario/bad");
// Files are YAML 1.2 of plain words, numbers and truth values; no dates.
const words = yaml.CORE_SCHEMA;
const schema = JSON.parse(fs.readFileSync(path.join(root, "scenarios/scenario.schema.json"), "utf8"));
const validate = new Ajv({ allErrors: false }).compile(schema);
let passed = 0;
let failed = 0;

function yamlFiles(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const at = path.join(folder, entry.name);
        if (entry.isDirectory()) return yamlFiles(at);
        return entry.name.endsWith(".yaml") ? [at] : [];
    });
}

// Null if the schema admits the file, else why not.
function refusal(file) {
    let value;
    try {
        value = yaml.load(fs.readFileSync(file, "utf8"), { schema: words });
    } catch (error) {
        return "no YAML: " + error.reason;
    }
    if (validate(value)) return null;
    const first = validate.errors[0];
    return (first.dataPath || "the file") + " " + first.message;
}

function claim(holds, message) {
    if (holds) passed++;
    else {
        failed++;
        console.log("FAILED: " + message);
    }
}

for (const folder of ["scenarios", "tests/cli/scenarios", "tests/cli/bad", "tests/determinism"]) {
    for (const file of yamlFiles(path.join(root, folder))) {
        const why = refusal(file);
        claim(why === null, `${file} is refused: ${why}`);
    }
}

const beyond = new Map();
for (const line of fs.readFileSync(path.join(bad, "beyond_schema.txt"), "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [name, reason] = line.split(" | ");
    beyond.set(name, reason);
}
for (const file of yamlFiles(bad)) {
    const name = path.basename(file, ".yaml");
    const why = refusal(file);
    if (beyond.has(name)) claim(why === null, `${name} is listed as beyond the schema, which refuses it: ${why}`);
    else claim(why !== null, `${name} passes the schema`);
    beyond.delete(name);
}
claim(beyond.size === 0, "listed but not there: " + [...beyond.keys()].join(", "));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
