import { describe, expect, it } from 'vitest'
import { CLIENT_WIRES, closing, tell } from './crossing.ts'
import { FEATURES, verdictOn } from './features.ts'

/** What every client must receive unchanged, whatever its wire. */
const NEVER_DROPPED = new Set([
  'text',
  'reasoning',
  'calls: names and arguments',
  'finish: stop',
  'finish: token limit',
])

describe.runIf(CLIENT_WIRES.length > 0)('the features of the loss table', () => {
  it('each shows something in the hub itself', () => {
    for (const { deltas, see } of FEATURES) expect(see(closing(tell(deltas)))).not.toEqual([])
  })

  it.each(CLIENT_WIRES)('$name carries those that every client must receive', (wire) => {
    const changed = FEATURES.filter((one) => NEVER_DROPPED.has(one.name) && verdictOn(wire, one) !== 'carried')
    expect(changed.map(({ name }) => name)).toEqual([])
  })
})
