import { describe, expect, it } from 'vitest'
import type { CheckRule } from '../../src/dialects/check-stream.ts'
import { BETA, BETA_KINDS, beta, corrupted, type Loose, of, offsetOf, rulesOf, textOf } from './written-json.ts'

describe('the check of a beta stream', () => {
  const SPOILT: readonly (readonly [CheckRule, string, (events: Loose[]) => unknown])[] = [
    [
      'event',
      'a name of the standard',
      (e) => (of(e, 'response.content_part.delta').type = 'response.output_text.delta'),
    ],
    ['fields', 'a sequence number', (e) => (e[1].sequence_number = 1)],
    ['fields', 'an item id', (e) => (of(e, 'response.content_part.delta').item_id = 'msg_1')],
    ['fields', 'addressed arguments', (e) => (of(e, 'response.function_call_arguments.done').output_index = 2)],
    ['fields', 'addressed reasoning', (e) => (of(e, 'response.reasoning.delta').output_index = 0)],
    ['columns', 'no response id', (e) => delete of(e, 'response.content_part.delta').response_id],
    ['response', 'a whole response in created', (e) => (e[0].response.output = [])],
    ['response', 'a whole response in done', (e) => (e.at(-1).response.output = [])],
    ['response', 'no usage', (e) => delete e.at(-2).response.usage],
    ['added', 'annotations in a new part', (e) => (of(e, 'response.content_part.added').part.annotations = [])],
    [
      'item',
      'an item it does not describe',
      (e) => (of(e, 'response.output_item.added').item.type = 'web_search_call'),
    ],
    ['part', 'a summary of objects', (e) => (of(e, 'response.output_item.done').item.summary = [{ text: 'x' }])],
    ['text', 'a delta less', (e) => e.splice(offsetOf(e, 'response.content_part.delta'), 1)],
    ['text', 'other reasoning', (e) => (of(e, 'response.reasoning.delta').delta = 'x')],
    ['arguments', 'without a done event', (e) => e.splice(offsetOf(e, 'response.function_call_arguments.done'), 1)],
    ['arguments', 'done twice', (e) => e.splice(-3, 0, of(e, 'response.function_call_arguments.done'))],
    ['scope', 'arguments of no open call', (e) => e.splice(1, 0, of(e, 'response.function_call_arguments.done'))],
    ['status', 'two statuses', (e) => (e.at(-1).response.status = 'failed')],
    ['terminal', 'no done', (e) => e.pop()],
    ['terminal', 'no whole response', (e) => e.splice(-2, 1)],
    ['terminal', 'done twice', (e) => e.push(e.at(-1))],
    ['terminal', 'an item after it', (e) => e.push(e[1])],
    ['terminal', 'an error in a completed response', (e) => e.splice(-1, 0, { type: 'error', message: 'x' })],
    ['output', 'an item less', (e) => e.at(-2).response.output.pop()],
  ]

  it.each(SPOILT)('reports a violation of the rule %s: %s', (rule, _, spoil) => {
    expect(rulesOf(corrupted(BETA, beta, spoil), beta)).toContain(rule)
  })

  it('accepts both terminal events in either order', () => {
    expect(
      rulesOf(
        corrupted(BETA, beta, (e) => e.push(...e.splice(-2, 1))),
        beta,
      ),
    ).toEqual([])
  })

  it('accepts the arguments of several calls in any order', () => {
    const swapped = corrupted(textOf(beta, ['call', 'call']), beta, (e) => {
      const at = offsetOf(e, 'response.output_item.done')
      e.splice(at - 1, 0, ...e.splice(at + 1, 2))
    })
    expect(rulesOf(swapped, beta)).toEqual([])
  })

  it('accepts a failure without response.failed, and one with an error event before the end', () => {
    const failed = textOf(beta, BETA_KINDS, 'failed')
    expect(
      rulesOf(
        corrupted(failed, beta, (e) => e.splice(offsetOf(e, 'response.failed'), 1)),
        beta,
      ),
    ).toEqual([])
    expect(
      rulesOf(
        corrupted(failed, beta, (e) => e.splice(-2, 0, { type: 'error', any: 'field' })),
        beta,
      ),
    ).toEqual([])
  })

  it('accepts reasoning items only at the end of the response', () => {
    const quiet = corrupted(textOf(beta, ['message', 'reasoning']), beta, (e) => {
      const from = e.findIndex((event) => event.item?.type === 'reasoning')
      e.splice(from, 1)
      e.splice(
        e.findIndex((event) => event.item?.type === 'reasoning'),
        1,
      )
    })
    expect(rulesOf(quiet, beta)).toEqual([])
  })
})
