/**
 * Builds the image of `examples/deploy/Dockerfile` without Docker and without its registry, and checks it:
 * `npm run smoke:image`. Root with Buildah builds it as Docker does; anybody else executes its instructions in folders
 * (as does `--folders`). The server of the image starts as its user, answers, satisfies HEALTHCHECK, and stops at
 * STOPSIGNAL. The images that the stages begin with are not tested.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildWithBuildah, hasBuildah } from './buildah-image.ts'
import { CONFIG_PATH, checkImage, KEY } from './built-image.ts'
import { readDeployed } from './files.ts'
import { buildInFolder } from './folder-image.ts'

const megabytes = (folder: string): string => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
  return (bytes / 1e6).toFixed(1)
}

/** The example with the key of a client, in the place that it shows, and with recordings, which need no vendor. */
function configured(example: string): string {
  const sha256 = createHash('sha256').update(KEY).digest('hex')
  const entry = `"keys": [{ "name": "first", "sha256": "${sha256}" }], "recordings": true,`
  return example.replace(/\/\/ "keys": .*/, entry)
}

const room = mkdtempSync(path.join(tmpdir(), 'millrace-image-'))
try {
  const text = readDeployed('Dockerfile')
  const isFolders = process.argv.includes('--folders') || !hasBuildah()
  process.stdout.write(`built ${isFolders ? 'in folders' : 'with Buildah'}\n`)
  const image = isFolders ? buildInFolder(text, room) : buildWithBuildah(text, room)
  const config = path.join(image.root, CONFIG_PATH)
  mkdirSync(path.dirname(config), { recursive: true })
  writeFileSync(config, configured(readDeployed('config.jsonc')))
  await checkImage(image)
  process.stdout.write(`image: ${megabytes(path.join(image.root, 'app'))} MB besides the image of Node\n`)
} finally {
  rmSync(room, { recursive: true })
}
