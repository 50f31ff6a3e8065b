import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { encodeTwin } from './twins.ts'

/** Writes `<case>.stream.bin` beside each `<case>.stream.ndjson`. Run it with `node --import tsx`. */
const FOLDER = new URL('../../../fixtures/bedrock-converse/', import.meta.url)
const TWIN = /\.stream\.ndjson$/

for (const file of readdirSync(FOLDER).filter((name) => TWIN.test(name))) {
  const bytes = encodeTwin(readFileSync(new URL(file, FOLDER), 'utf8'))
  writeFileSync(new URL(file.replace(TWIN, '.stream.bin'), FOLDER), bytes)
}
