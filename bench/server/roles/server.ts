import { pathToFileURL } from 'node:url'
import { gatewayKey } from '../../gateway-key.ts'
import { KEY } from '../protocol.ts'

/** Two exports of `millrace/server` and the flags of its command line, whose shapes no build changes. */
interface Build {
  checkConfigValue(value: unknown): { ok: true; config: unknown } | { ok: false; problems: readonly string[] }
  startServer(config: unknown): Promise<{ readonly url: string }>
  setServerFlags(): void
}

/** The millrace server of a build, as the command line starts it. `folder`: the compiled form of `src`. */
export async function openServer(upstream: string, folder: string): Promise<string> {
  const load = (file: string) => import(pathToFileURL(`${folder}/${file}`).href) as Promise<Build>
  const { checkConfigValue, startServer } = await load('server.js')
  const { setServerFlags } = await load('host/v8-flags.js')
  const vendors = { bench: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
  const loaded = checkConfigValue({ listen: { port: 0 }, keys: [gatewayKey('bench', KEY)], vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  setServerFlags()
  return (await startServer(loaded.config)).url
}
