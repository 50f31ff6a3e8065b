/** Runs the millrace server as a process: `node ours.mjs <base URL of an Anthropic upstream>`. */
import { createHash } from 'node:crypto'
import { checkConfigValue } from '../out/src/gateway/config/parse-config.js'
import { start } from '../out/src/host/start.js'

const KEY = 'bench'
const loaded = checkConfigValue({
  listen: { port: 0 },
  keys: [{ name: 'bench', sha256: createHash('sha256').update(KEY).digest('hex') }],
  vendors: { anthropic: { wire: 'anthropic-messages', base_url: process.argv[2], key: 'upstream-key' } },
})
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
process.send({ url: (await start(loaded.config)).url, key: KEY })
process.on('disconnect', () => process.exit())
