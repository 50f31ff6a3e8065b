import { expect } from 'vitest'
import type { Outcome } from '../../src/engine/outcome.ts'
import type { Target } from '../../src/engine/target.ts'
import type { Response } from '../../src/protocol/response.ts'
import { agUi } from '../../src/targets/ag-ui.ts'
import { aiSdkUi } from '../../src/targets/ai-sdk-ui.ts'
import { type Essence, essenceOfAnswer, essenceOfMessage, essenceOfRun } from './read-answer.ts'
import { answerOf, readRun, readUi } from './readers.ts'

/** A stream that was written, and the outcome of its answer. */
export interface WrittenStream {
  readonly bytes: Uint8Array
  readonly outcome: Outcome
}

export const UI = aiSdkUi({ usage: true })
export const RUN = agUi({ threadId: 'thread-1', runId: 'run-1' })

const answerIn = ({ answer }: Outcome) => {
  if (answer === null) throw new Error('an answer without an end')
  return answer
}

/** The losses that the interface itself causes, of all. */
const lossesOf = (target: Target, outcome: Outcome): readonly string[] => [
  ...new Set(target.lossesOf(answerIn(outcome), outcome.served ?? {}, true)),
]

const toldIn = (data: Readonly<Record<string, unknown>>, name: string): unknown =>
  (data[name] as { readonly losses?: unknown } | undefined)?.losses ?? []

/** A summary and the text of one item have no order in the whole answer. */
const isMixed = ({ output }: Response): boolean =>
  output.some((item) => item.type === 'reasoning' && item.summary.length > 0 && item.content.length > 0)

const BORDER = '\n\n'

function comparable(essence: Essence, answer: Response): Essence {
  const reasoning = essence.reasoning.split(BORDER).sort().join(BORDER)
  return isMixed(answer) ? { ...essence, reasoning } : essence
}

/** Expects that the AI SDK reads a stream without a complaint, and has all of its answer, or is told what it lacks. */
export async function expectReadByUi(version: 6 | 7, { bytes, outcome }: WrittenStream, size?: number): Promise<void> {
  const { message, errors, refused, data } = await readUi(version, bytes, size)
  const expected = outcome.error === null ? [] : [outcome.error.message]
  expect({ refused, errors }).toEqual({ refused: [], errors: expected })
  const answer = answerIn(outcome)
  expect(comparable(essenceOfMessage(message), answer)).toEqual(comparable(essenceOfAnswer(answer), answer))
  expect(message?.parts.filter(({ state }) => state === 'streaming' || state === 'input-streaming') ?? []).toEqual([])
  expect(toldIn(data, 'data-millrace-losses')).toEqual(lossesOf(UI, outcome))
  expect(outcome.losses).toEqual(expect.arrayContaining([...lossesOf(UI, outcome)]))
}

/** Expects the same of the client of AG-UI. */
export async function expectReadByRun({ bytes, outcome }: WrittenStream, size?: number): Promise<void> {
  const read = await readRun(() => answerOf(bytes, size))
  const answer = answerIn(outcome)
  const custom = answer.output.flatMap((item) => (item.type === 'custom_tool_call' ? [item.call_id] : []))
  expect(read).toMatchObject({ refused: [], error: outcome.error?.message ?? null })
  // Clients of version 0.0, such as CopilotKit's, refuse other results and a list of calls that wait.
  for (const event of read.events) {
    if (event.type === 'TOOL_CALL_RESULT') expect(event.content).toBeTypeOf('string')
    if (event.type === 'RUN_FINISHED') expect(event).not.toHaveProperty('outcome')
  }
  const whole = essenceOfAnswer(answer)
  // A run that failed has no calls to execute.
  const expected = { ...whole, calls: outcome.error === null ? whole.calls : [] }
  expect(comparable(essenceOfRun(read, new Set(custom)), answer)).toEqual(comparable(expected, answer))
  expect(toldIn(read.custom, 'millrace.losses')).toEqual(lossesOf(RUN, outcome))
}
