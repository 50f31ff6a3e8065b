import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { HostedItemType } from '../../src/protocol/item.ts'
import { respond } from '../../src/responses/respond.ts'
import { headOf } from '../engine/run-engine.ts'

const hub = respond(headOf('x'), DIALECTS.openai)

const statusOf = (
  status: string,
  done: boolean,
  finished: boolean,
  type: HostedItemType = 'file_search_call',
): unknown => {
  const item = { type, id: '', status, fields: {} }
  const ends: readonly Delta[] = finished ? [{ kind: 'finish', reason: 'stop' }] : []
  const events = run(hub, [{ kind: 'hosted', key: 'a', item, done }, ...ends])
  return events.flatMap((event) => (event.type === 'output_item.done' ? [event.item] : []))[0]
}

describe('the final status of a hosted item', () => {
  it.each([
    ['completed', true, true, 'completed'],
    ['failed', true, true, 'failed'],
    // A finished item is completed, even if its last status was `in_progress`.
    ['in_progress', true, true, 'completed'],
    ['in_progress', false, true, 'completed'],
    // Only the end of an answer makes an item incomplete.
    ['incomplete', true, true, 'failed'],
    ['in_progress', false, false, 'incomplete'],
  ])('maps status %s, item done: %s, answer finished: %s, to %s', (status, done, finished, expected) => {
    expect(statusOf(status, done, finished)).toMatchObject({ status: expected })
  })

  it.each(['apply_patch_call_output', 'mcp_call', 'web_search_call', 'code_interpreter_call'] as const)(
    'of a failed %s says so',
    (type) => {
      expect(statusOf('failed', true, true, type)).toMatchObject({ type, status: 'failed' })
    },
  )
})
