import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { start } from '../../../src/host/start.ts'
import { setServerFlags } from '../../../src/host/v8-flags.ts'
import { gatewayKey } from '../../gateway-key.ts'
import { KEY } from '../protocol.ts'

/** The millrace server, as the command line starts it. */
export async function openServer(upstream: string): Promise<string> {
  const vendors = { bench: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
  const loaded = checkConfigValue({ listen: { port: 0 }, keys: [gatewayKey('bench', KEY)], vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  setServerFlags()
  return (await start(loaded.config)).url
}
