import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { createLibrary } from '../../../src/host/recording/exchange-library.ts'
import { readExchanges } from '../../../src/host/recording/read-exchange.ts'
import { createRecorder } from '../../../src/host/recording/recorder.ts'
import { replayConfig, replayEnv } from '../../../src/host/recording/replay-config.ts'
import { createReplay } from '../../../src/host/recording/replay-transport.ts'
import { start } from '../../../src/host/start.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { answerJson, startMockEngine } from '../search/mock-engine.ts'
import { KEY, post, sha256, whenDone } from '../test-server.ts'

const ENGINE_KEY = 'engine-key-of-nobody-4760'
const QUERY = 'height of the Eiger'

it('a search between two turns is recorded and played like the turns', async () => {
  const upstream = await startMockUpstream(
    scripted(WIRE_UPSTREAMS['openai-chat'], ({ body }) =>
      JSON.stringify(body).includes('3,967')
        ? { text: ['It is 3,967 m high.'], calls: [] }
        : { text: [], calls: [{ id: 'call_a', name: 'web_search', args: { query: QUERY } }] },
    ),
  )
  whenDone(upstream.close)
  const engine = await startMockEngine((response) =>
    answerJson(response, { results: [{ url: 'https://eiger.example/', title: 'Eiger', text: '3,967 m.' }] }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'millrace-searches-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  const loaded = checkConfigValue({
    listen: { port: 0 },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, key: 'vendor-key-of-nobody' } },
    search: { engine: 'exa', base_url: engine.url, key: ENGINE_KEY },
  })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const body = { model: 'acme/mock-1', input: 'How high?', stream: true, tools: [{ type: 'service:web_search' }] }
  const ask = async (url: string): Promise<string> =>
    (await (await post(url, body)).text()).replaceAll(
      /(?:resp|msg|ws)_[0-9a-f]+|(?<="(?:created|completed)_at":)\d+/g,
      'id',
    )

  const recorder = createRecorder({ folder, secrets: [ENGINE_KEY], onFailure: () => undefined })
  const recording = await start(loaded.config, { tap: recorder })
  whenDone(recording.close)
  const recorded = await ask(recording.url)
  await recorder.close()
  expect(recorded).toContain('It is 3,967 m high.')
  const names = await readdir(folder)
  expect(names).toEqual(['0001-acme-mock-1', '0002-exa', '0003-acme-mock-1'])
  expect(await readFile(join(folder, '0002-exa', 'request.json'), 'utf8')).not.toContain(ENGINE_KEY)

  const { exchanges } = readExchanges(folder)
  const library = createLibrary(exchanges, 'exact')
  const tap = createReplay(library, { pace: 'fast', onPlay: () => undefined })
  const asked = [upstream.received.length, engine.asked.length]
  const replaying = await start(replayConfig(loaded.config, {}, exchanges), { env: replayEnv({}, exchanges), tap })
  whenDone(replaying.close)
  expect(await ask(replaying.url)).toBe(recorded)
  expect([library.unplayed(), [upstream.received.length, engine.asked.length]]).toEqual([[], asked])
})
