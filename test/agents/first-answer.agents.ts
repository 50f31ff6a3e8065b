import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openSession } from './converse.ts'
import { RESULTS } from './describe-agent.ts'
import { BASE_URL, type CodexTransport, codex, HTTP } from './programs/codex.ts'
import { runProgram } from './run-process.ts'
import { promptOf } from './scripted-model.ts'

/** How long Codex takes to its first answer, from the start of the program. */

const MODEL = 'gpt-6-sol'
const ROUNDS = 7
const MOST = 1.2

const MOUNT = { path: '/openai/v1', dialect: 'openai' }
const BASELINE = 'provider with `supports_websockets = false`'
const KINDS: Readonly<Record<string, { readonly transport: CodexTransport; readonly config: object }>> = {
  [BASELINE]: { transport: HTTP, config: {} },
  '`openai_base_url`': { transport: BASE_URL, config: { mounts: [MOUNT] } },
  '`openai_base_url`, mount with `websocket: false`': {
    transport: BASE_URL,
    config: { mounts: [{ ...MOUNT, websocket: false }] },
  },
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

it('Codex has its first answer by openai_base_url as soon as by HTTP alone', async () => {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, { transport, config }] of Object.entries(KINDS)) {
      const agent = codex(transport, MODEL)
      const { setup } = await openSession(agent, 'openai-chat', config)
      await agent.configure(setup)
      const { written } = await runProgram(agent.commandOf(setup, promptOf('after'), true), 60_000)
      const answer = written.find(({ text }) => text.includes('done: after'))
      expect(answer, kind).toBeDefined()
      times[kind] = [...(times[kind] ?? []), answer?.ms ?? 0]
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([kind, found]) => [kind, median(found)]))
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL('first-answer.json', RESULTS), `${JSON.stringify({ medians }, null, 2)}\n`)
  const baseline = medians[BASELINE] ?? 0
  for (const [kind, ms] of Object.entries(medians)) expect(ms, kind).toBeLessThanOrEqual(MOST * baseline)
})
