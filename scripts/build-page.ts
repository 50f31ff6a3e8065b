import { mkdirSync, writeFileSync } from 'node:fs'
import { bundlePage } from '../src/host/page/bundle.ts'

/** Writes the files of the page into the package: `npm run build`. */
const folder = new URL('../dist/page/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, bytes] of await bundlePage()) writeFileSync(new URL(name, folder), bytes)
