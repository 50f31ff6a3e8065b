import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { createTurnTranslation } from '../../src/engine/translation.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { searchLoop } from '../../src/search/loop/loop.ts'
import { isLoopCommand, type LoopCommand, type LoopInput } from '../../src/search/loop/state.ts'
import type { KnownStreamWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { headOf, toBytes } from '../engine/run-engine.ts'
import { settingsOf } from './loop-settings.ts'

/** The turns of a search take the fast path, which writes the same bytes as the slow path. */

const chat = WIRES['openai-chat']
const { template: _, ...slow } = chat

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const textOf = (field: string): readonly string[] =>
  Array.from({ length: 100 }, (_, i) => chunk({ [field]: ` word${i}` }))
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'web_search', arguments: '{"query":"mills"}' } }
const SEARCHING = [...textOf('reasoning_content'), ...textOf('content'), chunk({ tool_calls: [call] }, 'tool_calls')]
const ANSWER = [...textOf('content'), chunk({ content: ' [1]' }), chunk({}, 'stop')]
const FOUND = {
  ok: true,
  results: [{ url: 'https://a.example/', title: 'A', content: 'A mill.', date: null }],
} as const

function played(wire: KnownStreamWire, target: Target): { readonly text: string; readonly fast: number } {
  const stream = createTurnTranslation<Exclude<LoopInput, Delta>, LoopCommand>(
    { wire, target, head: headOf('x') },
    { ...searchLoop(settingsOf()), isCommand: isLoopCommand },
  )
  const pieces: Uint8Array[] = []
  const send = (frames: readonly string[]): readonly LoopCommand[] => {
    for (const frame of [...frames, 'data: [DONE]\n\n']) pieces.push(stream.push(toBytes(frame)))
    pieces.push(stream.push('end'))
    return apply({ kind: 'turn ended' })
  }
  const apply = (input: Exclude<LoopInput, Delta>): readonly LoopCommand[] => {
    const { piece, commands } = stream.apply(input)
    pieces.push(piece)
    return commands
  }
  const [search] = send(SEARCHING)
  expect(search?.kind).toBe('search')
  if (search?.kind === 'search') apply({ kind: 'found', key: search.key, answer: FOUND })
  stream.openTurn()
  expect(send(ANSWER)).toEqual([{ kind: 'over' }])
  pieces.push(stream.close())
  const { status, chunks } = stream.outcome()
  expect(status).toBe('completed')
  return { text: new TextDecoder().decode(Buffer.concat(pieces)), fast: chunks.fast }
}

const TARGETS = [
  ...Object.values(DIALECTS).map((one) => dialectTarget(one)),
  ...CLIENT_WIRES.map((to) => wireTarget(to)),
]

describe('the turns of a search', () => {
  it.each(TARGETS)('take the fast path for $name, with the bytes of the slow path', (target) => {
    const [fast, slowly] = [played(chat, target), played(slow, target)]
    expect(fast.text).toBe(slowly.text)
    expect([slowly.fast, fast.fast > 250]).toEqual([0, true])
  })
})
