import { describe, expect, it } from 'vitest'
import { CLIENT_WIRES, closing, encodeAnswerAs } from '../cross-translate.ts'
import { FEATURES, supportOf } from '../support-matrix.ts'

/** Features that every client must receive unchanged on every wire. */
const NEVER_DROPPED = new Set([
  'text',
  'reasoning',
  'calls: names and arguments',
  'finish: stop',
  'finish: token limit',
])

describe.runIf(CLIENT_WIRES.length > 0)('the features of the loss table', () => {
  it('have observable values in the response itself', () => {
    for (const { deltas, see } of FEATURES) expect(see(closing(encodeAnswerAs(deltas)))).not.toEqual([])
  })

  it.each(CLIENT_WIRES)('are carried by $name if every client must receive them', (wire) => {
    const changed = FEATURES.filter((one) => NEVER_DROPPED.has(one.name) && supportOf(wire, one) !== 'carried')
    expect(changed.map(({ name }) => name)).toEqual([])
  })
})
