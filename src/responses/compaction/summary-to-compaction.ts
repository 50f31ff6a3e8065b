import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { Delta, HostedDelta } from '../../protocol/delta.ts'
import { upstreamError } from '../../protocol/error.ts'
import type { Event } from '../../protocol/event.ts'
import type { Item } from '../../protocol/item.ts'
import type { Response } from '../../protocol/response.ts'
import type { Capabilities } from '../capabilities.ts'
import { EMPTY_ECHO } from '../echo.ts'
import { respond } from '../respond.ts'
import { lossesOf, type RespondState } from '../state.ts'
import { sealSummary } from './compaction.ts'

/** A summary is text; reasoning is read, because it is no loss. Anything else is recorded as one. */
const SUMMARY: Capabilities = {
  items: ['message', 'reasoning'],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: [],
  fields: ['phase'],
  offsets: 'utf16',
}

const hub = respond({ id: 'resp', created_at: 0, model: '', echo: EMPTY_ECHO }, SUMMARY)

const KEY = 'compaction'

const INCOMPLETE = upstreamError('upstream_truncated', 'The upstream did not return a complete summary.')

/**
 * The answer to a request for a summary → the answer to a request for a compaction: exactly one item, or a failure,
 * because an empty compaction would delete the conversation. The item begins when the summary is complete, so that a
 * stream has nothing before. A step costs as much as one of `respond`, the end as much as the length of the answer.
 */
export const summaryToCompaction: Machine<RespondState, Delta, Delta> = {
  initial: hub.initial,

  step(state, delta): Step<RespondState, Delta> {
    switch (delta.kind) {
      case 'start':
      case 'usage':
      case 'served':
      case 'loss':
        return { state, events: [delta] }
      default: {
        const failed = delta.kind === 'error' || delta.kind === 'cut'
        return { state: hub.step(state, delta).state, events: failed ? [delta] : NOTHING }
      }
    }
  },

  end(state) {
    const losses = lossesOf(state.response).map((feature): Delta => ({ kind: 'loss', feature }))
    return [...losses, ...compactionOf(responseIn(hub.end(state)))]
  },
}

const responseIn = (events: readonly Event[]): Pick<Response, 'status' | 'output'> => {
  const last = events.at(-1)
  return last !== undefined && 'response' in last ? last.response : { status: 'failed', output: [] }
}

/** A failure has been reported already, and so has an answer that does not end. */
function compactionOf({ status, output }: Pick<Response, 'status' | 'output'>): readonly Delta[] {
  if (status === 'failed') return NOTHING
  const summary = textOf(output)
  if (status !== 'completed' || summary.trim() === '') return [{ kind: 'error', error: INCOMPLETE }]
  const fields = { encrypted_content: sealSummary(summary) }
  const hosted = {
    kind: 'hosted',
    key: KEY,
    item: { type: 'compaction', id: '', status: 'completed', fields },
  } as const
  return [
    { ...hosted, done: false },
    { kind: 'progress', key: KEY, name: 'compaction.compacting', fields: {} },
    { ...hosted, done: true } satisfies HostedDelta,
    { kind: 'finish', reason: 'stop' },
  ]
}

const partsText = (item: Item): string =>
  item.type === 'message' ? item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('') : ''

/** The text of the answer. Commentary counts only if the model wrote nothing else. */
function textOf(output: readonly Item[]): string {
  const messages = output.filter((item) => partsText(item) !== '')
  const answers = messages.filter((item) => item.type !== 'message' || item.phase !== 'commentary')
  return (answers.length > 0 ? answers : messages).map(partsText).join('\n\n')
}
