import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { collectTurns, streamTurns, type TurnAnswer, type TurnMachine } from '../../src/engine/turn-answer.ts'
import { identity, type Machine } from '../../src/machine/machine.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { ALL_FIXTURES, collected, eventsOf, optionsOf, toBytes, translated } from './run-engine.ts'

const decoder = new TextDecoder()

const ONE_TURN: TurnMachine<null, never, never> = {
  machine: identity<Delta>(),
  isCommand: (output): output is never => output === null,
}

interface Ended {
  readonly kind: 'turn ended'
}
interface Next {
  readonly kind: 'next'
  readonly turn: number
}

/** Counts the turns, and gives the items of each turn keys of their own. */
const COUNTING: TurnMachine<number, Ended, Next> = {
  machine: {
    initial: 1,
    step(turn, input) {
      if (input.kind === 'turn ended') return { state: turn + 1, events: [{ kind: 'next', turn: turn + 1 }] }
      return { state: turn, events: ['key' in input ? { ...input, key: `${turn} ${input.key}` } : input] }
    },
    end: () => [],
  } satisfies Machine<number, Delta | Ended, Delta | Next>,
  isCommand: (output): output is Next => output.kind === 'next',
}

/** Does all work that is left, after the first piece of it. */
function wholly(answer: TurnAnswer<Uint8Array, unknown, unknown>, first: Uint8Array): string {
  const pieces = [decoder.decode(first)]
  while (answer.busy()) pieces.push(decoder.decode(answer.resume()))
  return pieces.join('')
}

const chunk = (content: string): Uint8Array =>
  toBytes(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`)
const STOP = toBytes('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
const BROKEN = upstreamError('upstream_disconnected', 'The connection was lost.', 502)

const textsOf = (stream: string): unknown[] =>
  eventsOf(stream).flatMap(({ type, text }) => (type === 'response.output_text.done' ? [text] : []))

describe('an answer of one turn', () => {
  const cases = ALL_FIXTURES.flatMap((fixture) =>
    Object.values(DIALECTS).map((dialect) => [`${fixture.wire.name} ${fixture.name}`, dialect.name, fixture] as const),
  )

  it.each(cases)('has the same bytes and body as an answer without turns: %s in %s', (_, name, fixture) => {
    const plain = optionsOf(DIALECTS[name], fixture.quirks, 'x', fixture.wire)
    const options = { ...plain, slice: 1 }
    const target = dialectTarget(options)
    const streamed = streamTurns(target, options, ONE_TURN)
    const body = collectTurns(target, options, ONE_TURN)
    const at = fixture.stream.length >> 1
    let text = ''
    for (const piece of [fixture.stream.subarray(0, at), fixture.stream.subarray(at)]) {
      text += wholly(streamed, streamed.receive(piece))
      body.receive(piece)
      while (body.busy()) body.resume()
    }
    text += wholly(streamed, streamed.end()) + wholly(streamed, streamed.close())
    body.end()
    while (body.busy()) body.resume()
    body.close()
    while (body.busy()) body.resume()
    expect(text).toBe(translated(plain, [fixture.stream]))
    expect(body.body()).toEqual(collected(plain, [fixture.stream]))
    expect([streamed.over(), body.over()]).toEqual([true, true])
  })
})

describe('an answer of several turns', () => {
  const options = { ...optionsOf(DIALECTS.openai), slice: 256 }
  const open = () => streamTurns(dialectTarget(options), options, COUNTING)

  it('decodes each upstream answer anew, and counts the frames of all', () => {
    const answer = open()
    let text = wholly(answer, answer.receive(chunk('Hel')))
    expect([answer.begun(), answer.turnOver()]).toEqual([true, false])
    text += wholly(answer, answer.end())
    expect([answer.turnOver(), answer.over()]).toEqual([true, false])
    expect(decoder.decode(answer.receive(chunk('late')))).toBe('')
    const { piece, commands } = answer.apply({ kind: 'turn ended' })
    expect(commands).toEqual([{ kind: 'next', turn: 2 }])
    text += wholly(answer, piece)
    answer.openTurn()
    expect(answer.turnOver()).toBe(false)
    text += wholly(answer, answer.receive(chunk('lo'))) + wholly(answer, answer.receive(STOP))
    text += wholly(answer, answer.end()) + wholly(answer, answer.close())
    expect(textsOf(text)).toEqual(['Hel', 'lo'])
    expect(answer.outcome()).toMatchObject({ status: 'completed', chunks: { received: 3 } })
  })

  it('is over with its turn when it passes a limit', () => {
    const limits = { ...LIMITS, answerSize: 100 }
    const target = dialectTarget({ ...options, limits })
    const answer = streamTurns(target, { ...options, limits }, COUNTING)
    wholly(answer, answer.receive(chunk('x'.repeat(200))))
    expect([answer.turnOver(), answer.over(), answer.busy()]).toEqual([true, true, false])
    expect(answer.outcome()).toMatchObject({ status: 'failed', error: { code: 'upstream_too_large' } })
  })

  it('ends as failed with the reason for which it was closed', () => {
    const answer = open()
    const text = wholly(answer, answer.receive(chunk('Hel'))) + wholly(answer, answer.close(BROKEN))
    expect(eventsOf(text).at(-1)).toMatchObject({ type: 'response.failed', response: { error: { code: BROKEN.code } } })
    expect(answer.outcome().error).toEqual(BROKEN)
  })

  it('that is discarded writes nothing more, and has its outcome', () => {
    const answer = open()
    wholly(answer, answer.receive(chunk('Hel')))
    answer.discard()
    expect(wholly(answer, answer.receive(STOP)) + wholly(answer, answer.end()) + wholly(answer, answer.close())).toBe(
      '',
    )
    expect(answer.outcome()).toMatchObject({ status: 'completed', hasOutput: true })
  })
})
