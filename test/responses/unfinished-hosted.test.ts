import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import { respond } from '../../src/responses/respond.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import { headOf } from '../engine/run-engine.ts'

const item = { type: 'file_search_call', id: '', status: 'completed', fields: {} } as const

/** The deltas of an answer whose only item has this status at its end. */
const deltasOf = (status: string) => {
  const events = run(respond(headOf('x'), openai), [
    { kind: 'hosted', key: 'a', item, done: true },
    { kind: 'finish', reason: 'stop' },
  ])
  return run(
    eventsToDeltas,
    events.map((event) =>
      event.type === 'output_item.done' && event.item.type === 'file_search_call'
        ? { ...event, item: { ...event.item, status } }
        : event,
    ),
  )
}

describe('a hosted item at its end', () => {
  it.each([
    ['in_progress', true],
    ['incomplete', true],
    ['completed', undefined],
    ['failed', undefined],
  ])('with the status %s is cut: %s', (status, cut) => {
    const deltas = deltasOf(status)
    expect(deltas.find(({ kind }) => kind === 'stop')).toMatchObject(cut === true ? { cut } : {})
    expect(deltas.some((delta) => delta.kind === 'stop' && delta.cut === true)).toBe(cut === true)
    expect(deltas.findLast((delta) => delta.kind === 'hosted')).toMatchObject({ done: cut !== true })
  })
})
