import type { WireName } from '../../src/wires/contract.ts'
import {
  type MockUpstream,
  nextTurn,
  type ReceivedRequest,
  silence,
  startMockUpstream,
} from '../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { type RequestView, readRequest } from './request-view.ts'
import { type Decision, decide, type ModelOptions, type TaskName } from './scripted-model.ts'

/** One request of the gateway to the scripted upstream, and its answer. */
export interface Exchange extends Decision {
  readonly view: RequestView
  readonly body: ReceivedRequest['body']
  readonly url: string
  /** 200, or the status of a scripted failure. */
  readonly status: number
}

export interface ScriptedUpstream extends MockUpstream {
  readonly exchanges: Exchange[]
}

/** The statuses of the first answers to a task. The gateway retries after the first one, the agent after the other. */
export const FAILURES: Readonly<Partial<Record<TaskName, readonly number[]>>> = { work: [429], retry: [500] }

/** Longer than Codex waits for an event (`programs/codex.ts`). */
const SILENCE_MS = 8000

const PIECE_BYTES = 61

/** Starts an upstream of this wire whose model follows the script. */
export async function startScriptedUpstream(wire: WireName, options: ModelOptions): Promise<ScriptedUpstream> {
  const { encodeTurn, contentType } = WIRE_UPSTREAMS[wire]
  const exchanges: Exchange[] = []
  const failures = structuredClone(FAILURES) as Partial<Record<TaskName, number[]>>
  const upstream = await startMockUpstream(async (response, { body, url }) => {
    const view = readRequest(wire, body)
    const decision = decide(view, options)
    const status = (decision.task === null ? undefined : failures[decision.task]?.shift()) ?? 200
    exchanges.push({ ...decision, view, body, url, status })
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'The model is busy.', code: status } }))
      return
    }
    const bytes = encodeTurn(decision.turn)
    response.writeHead(200, { 'content-type': contentType })
    if (decision.task === 'silence') {
      response.flushHeaders()
      await silence(SILENCE_MS)
    }
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      response.write(bytes.subarray(at, at + PIECE_BYTES))
      await nextTurn()
    }
    response.end()
  })
  return { ...upstream, exchanges }
}
