import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta, HostedDelta } from '../../src/protocol/delta.ts'
import type { HostedItem } from '../../src/protocol/item.ts'
import { collect } from '../../src/responses/collect.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { respond } from '../../src/responses/respond.ts'
import { headOf } from '../engine/run-engine.ts'
import { openReasoning } from './open-reasoning.ts'

/** Hosted tools with a payload that the upstream requires back in later requests. */

const ORIGIN = { wire: 'w', vendor: 'v', model: 'm' }
const search = (done: boolean): HostedDelta => ({
  kind: 'hosted',
  key: 's',
  item: { type: 'web_search_call', id: '', status: 'completed', fields: { action: { type: 'search' } } },
  done,
})
const payload: Delta = { kind: 'opaque', key: 's', of: 'web_search_call', payload: { found: 1 } }
const FINISH: Delta = { kind: 'finish', reason: 'stop' }

function writtenItems(deltas: readonly Delta[], dialect: keyof typeof DIALECTS = 'openai') {
  const hub = respond(headOf('x'), DIALECTS[dialect], (it) => sealReasoning(ORIGIN, it))
  const [response] = run(collect, run(hub, deltas))
  return response?.output ?? []
}

describe('a hosted item with encrypted content', () => {
  it('carries the envelope beside its own fields', () => {
    const [item] = writtenItems([search(false), payload, search(true), FINISH])
    expect(item).toMatchObject({ type: 'web_search_call', fields: { action: { type: 'search' } } })
    const { encrypted_content: sealed } = (item as HostedItem).fields as { encrypted_content: string }
    expect(openReasoning(ORIGIN, sealed)).toEqual({ found: 1 })
  })

  it('is not created by its envelope alone, and ignores an envelope for another type', () => {
    expect(writtenItems([payload, FINISH])).toEqual([])
    expect(writtenItems([search(false), { ...payload, of: 'mcp_call' }, search(true), FINISH])).toMatchObject([
      { fields: { action: { type: 'search' } } },
    ])
  })

  it('is dropped, and not turned into reasoning, if the dialect has no such item', () => {
    expect(writtenItems([search(false), payload, search(true), FINISH], 'beta')).toEqual([])
  })
})
