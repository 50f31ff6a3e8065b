import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getOrCreate } from '../../src/collections/get-or-create.ts'
import { beta } from '../../src/dialects/beta.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import {
  type DeltaMachine,
  type GuardedHook,
  guardHook,
  hookTurns,
  hookWire,
  withMachines,
} from '../../src/engine/hooks.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { createTranslation, createTurnTranslation } from '../../src/engine/translation.ts'
import { continuationMachine } from '../../src/gateway/answer/continued-turns.ts'
import { identity, type Machine } from '../../src/machine/machine.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { GatewayError } from '../../src/protocol/error.ts'
import { searchLoop } from '../../src/search/loop/loop.ts'
import { isLoopCommand, type LoopCommand, type LoopInput } from '../../src/search/loop/state.ts'
import type { StreamWire, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cuts } from '../arbitraries/bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { check, someOf } from '../property.ts'
import { settingsOf } from '../search/loop-settings.ts'
import { FINISH } from '../wires/deltas.ts'
import { ALL_FIXTURES, collected, eventsOf, headOf, optionsOf, toBytes } from './run-engine.ts'

const IDENTITY: DeltaMachine = identity<Delta>() as DeltaMachine
const GUARDED = new Map<DeltaMachine, GuardedHook>()
/** A wire whose shapes of earlier streams are those of this file. */
const FRESH = new Map<StreamWire, StreamWire>()
const fresh = (wire: StreamWire): StreamWire =>
  getOrCreate(FRESH, wire, () => ({ ...wire, decodeStream: (quirks) => wire.decodeStream(quirks) }))
const NONE: readonly DeltaMachine[] = []
const hooked = (wire: StreamWire, ...machines: readonly DeltaMachine[]): StreamWire =>
  hookWire(
    fresh(wire),
    machines.map((machine, at) => getOrCreate(GUARDED, machine, () => guardHook(machine, `machines[${at}]`))),
  )

/** The text of the stream, and how many chunks took the fast path. */
function played(options: TranslationOptions, pieces: readonly Uint8Array[]) {
  const stream = createTranslation(options)
  const written = [...pieces.map((piece) => stream.push(piece)), stream.push('end')].map((piece) => piece.slice())
  const { chunks, status, error } = stream.outcome()
  return { text: new TextDecoder().decode(Buffer.concat(written)), fast: chunks.fast, status, error }
}

const TARGETS: readonly Target[] = [
  ...Object.values(DIALECTS).map((one) => dialectTarget(one)),
  ...CLIENT_WIRES.map((to) => wireTarget(to)),
]

const chunk = (delta: object, finish: string | null = null): Uint8Array =>
  toBytes(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
const LONG = [...Array.from({ length: 100 }, (_, i) => chunk({ content: ` word${i}` })), chunk({}, 'stop')]
const chat = (...machines: readonly DeltaMachine[]) =>
  optionsOf(beta, {}, 'x', hooked(WIRES['openai-chat'], ...machines))

const changing = (change: (delta: Delta) => Delta): Machine<null, Delta, Delta> => ({
  initial: null,
  step: (state, delta) => ({ state, events: [change(delta)] }),
  end: () => [],
})
const upperCase = changing((delta) => (delta.kind === 'text' ? { ...delta, text: delta.text.toUpperCase() } : delta))

describe('the identity as a hook', () => {
  it.each(ALL_FIXTURES.map((one) => [one.wire.name, one.name, one] as const))(
    'changes no byte of %s/%s and no chunk of its fast path, for every target',
    (_, name, fixture) => {
      const { wire, quirks, stream } = fixture
      for (const target of someOf(TARGETS, 4, ALL_FIXTURES.indexOf(fixture))) {
        const plain = played({ wire: fresh(wire), quirks, target, head: headOf(name) }, [stream])
        const through = played({ wire: hooked(wire, IDENTITY), quirks, target, head: headOf(name) }, [stream])
        expect(through).toEqual(plain)
      }
    },
  )

  it.each(Object.keys(WIRES) as WireName[])('changes no byte of any stream of %s, wherever it is cut', (name) => {
    check(
      fc.property(ANSWERS[name].stream, cuts, (bytes, at) => {
        const ends = [...new Set(at.map((share) => Math.floor(share * bytes.length)))].sort((one, other) => one - other)
        const pieces = [0, ...ends].map((start, i) => bytes.subarray(start, ends[i] ?? bytes.length))
        const run = (machines: readonly DeltaMachine[]) =>
          played(optionsOf(beta, {}, 'x', hooked(WIRES[name], ...machines)), pieces)
        expect(run([IDENTITY, IDENTITY])).toEqual(run(NONE))
      }),
      300,
    )
  })

  it('takes the fast path from the second chunk on if its machine is the same for all streams', () => {
    const wire = hooked(WIRES['openai-chat'], IDENTITY)
    const options = optionsOf(beta, {}, 'x', wire)
    const shares = [0, 1, 2, 3].map(() => played(options, LONG).fast)
    const plain = [0, 1, 2, 3].map(() => played(optionsOf(beta, {}, 'x', fresh(WIRES['openai-chat'])), LONG).fast)
    expect(shares.at(-1)).toBe(plain.at(-1))
    expect(shares.at(-1)).toBeGreaterThan(95)
  })

  it('changes no whole body', () => {
    const body = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] })
    const run = (options: TranslationOptions) => played(options, [toBytes(body)])
    expect(run(chat(IDENTITY))).toEqual(run(chat()))
  })
})

describe('a hook that reads texts', () => {
  it('reads every one of them', () => {
    const { text, fast } = played(chat(upperCase), LONG)
    const words = eventsOf(text).flatMap(({ type, delta }) => (String(type).endsWith('.delta') ? [delta] : []))
    expect(words.join('')).toBe(Array.from({ length: 100 }, (_, i) => ` WORD${i}`).join(''))
    expect(fast).toBe(0)
  })

  it('reads every one of them, also if it changes one that no probe of the fast path resembles', () => {
    const censor = changing((delta) =>
      delta.kind === 'text' && delta.text === ' word50' ? { ...delta, text: ' […]' } : delta,
    )
    const { text } = played(chat(censor), LONG)
    expect(text).toContain(' […]')
    expect(text).not.toContain(' word50')
  })

  it('reads every text after it has begun to, also in the middle of a run', () => {
    // Counts are the only thing that it reads at first.
    const late: Machine<number, Delta, Delta> = {
      initial: 0,
      step(state, delta) {
        if (state < 50) return { state: delta.kind === 'text' ? state + 1 : state, events: [delta] }
        return { state, events: delta.kind === 'text' ? [{ ...delta, text: delta.text.toUpperCase() }] : [delta] }
      },
      end: () => [],
    }
    const all = played(chat(late as DeltaMachine), LONG).text
    expect(all).toContain(' WORD50')
    expect(all).toContain(' WORD99')
    expect(all).not.toContain(' WORD49')
  })

  it('reads counts of every chunk', () => {
    const seen: number[] = []
    const counting = changing((delta) => {
      if (delta.kind === 'usage') seen.push(delta.usage.output_tokens ?? 0)
      return delta
    })
    const counted = (text: string, tokens: number): Uint8Array =>
      toBytes(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }], usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 } })}\n\n`,
      )
    played(chat(counting), [...Array.from({ length: 60 }, (_, i) => counted(` word${i}`, i + 1)), chunk({}, 'stop')])
    expect(new Set(seen).size).toBe(60)
  })

  it('reads texts after other hooks', () => {
    const { text } = played(chat(IDENTITY, upperCase, IDENTITY), LONG)
    expect(text).toContain(' WORD99')
    expect(text).not.toContain(' word')
  })

  it('changes whole bodies', () => {
    const body = collected(chat(upperCase), LONG)
    expect(JSON.stringify(body)).toContain(' WORD99')
  })
})

describe('a hook that throws', () => {
  const failing = (at: number): DeltaMachine => ({
    initial: 0,
    step(state, delta) {
      if (state === at) throw new Error('not for clients')
      return { state: (state as number) + 1, events: [delta] }
    },
    end: () => [],
  })

  it('ends the answer as failed, after the text before', () => {
    const noted: unknown[] = []
    const note = (failure: GatewayError, thrown: unknown, name: string): GatewayError => {
      noted.push([name, thrown])
      return failure
    }
    const wire = hookWire(WIRES['openai-chat'], [guardHook(failing(50), 'machines[0]', note)])
    const { text, status, error } = played(optionsOf(beta, {}, 'x', wire), LONG)
    expect([status, error?.code]).toEqual(['failed', 'hook_failed'])
    expect(text).toContain(' word40')
    expect(text).not.toContain(' word60')
    expect(text).not.toContain('not for clients')
    expect(noted).toEqual([['machines[0]', new Error('not for clients')]])
  })

  it('ends the answer as failed at its end', () => {
    const ending: DeltaMachine = {
      ...IDENTITY,
      end: () => {
        throw new Error('late')
      },
    }
    expect(played(chat(ending), LONG)).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
  })

  it.each(['step', 'end'] as const)(
    'ends the answer as failed if its %s is a promise, which may fail later',
    (name) => {
      const late = async () => Promise.reject(new Error('late'))
      const machine = { ...IDENTITY, [name]: late } as unknown as DeltaMachine
      expect(played(chat(machine), LONG)).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    },
  )

  it('fails an answer whose machine returns no list', () => {
    const wrong = { ...IDENTITY, step: () => ({ state: null, events: null }) } as unknown as DeltaMachine
    expect(played(chat(wrong), LONG)).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
  })
})

describe('a hook of an answer with turns', () => {
  const [call] = [
    { index: 0, id: 'c1', type: 'function', function: { name: 'web_search', arguments: '{"query":"a"}' } },
  ]
  const TURNS = [
    [...LONG.slice(0, -1), chunk({ tool_calls: [call] }, 'tool_calls')],
    [...LONG.slice(0, -1), chunk({}, 'stop')],
  ]
  const FOUND = { ok: true, results: [{ url: 'https://a.example/', title: 'A', content: 'A.', date: null }] } as const

  function search(...machines: readonly DeltaMachine[]) {
    type Input = Exclude<LoopInput, Delta>
    const loop = {
      ...searchLoop(settingsOf()),
      isCommand: isLoopCommand,
      isLast: ({ kind }: LoopCommand) => kind === 'over',
      probed: undefined as never,
    }
    const { probed: _, ...turns } = loop
    const hooks = machines.map((machine, at) => guardHook(machine, `machines[${at}]`))
    const stream = createTurnTranslation<Input, LoopCommand>(
      { wire: WIRES['openai-chat'], target: dialectTarget(beta), head: headOf('x') },
      hookTurns(turns, hooks),
    )
    const pieces: Uint8Array[] = []
    const apply = (input: Input): readonly LoopCommand[] => {
      const { piece, commands } = stream.apply(input)
      pieces.push(piece.slice())
      return commands
    }
    for (const [at, frames] of TURNS.entries()) {
      for (const frame of frames) pieces.push(stream.push(frame).slice())
      pieces.push(stream.push('end').slice())
      const [command] = apply({ kind: 'turn ended' })
      if (command?.kind === 'search') apply({ kind: 'found', key: command.key, answer: FOUND })
      if (at === 0) stream.openTurn()
    }
    pieces.push(stream.close().slice())
    const { chunks, status } = stream.outcome()
    return { text: new TextDecoder().decode(Buffer.concat(pieces)), fast: chunks.fast, status }
  }

  it('changes no byte and no chunk of the fast path if it is the identity', () => {
    expect(search(IDENTITY)).toEqual(search())
    expect(search().fast).toBeGreaterThan(150)
  })

  it('has one end behind all upstreams of an answer that others continue', () => {
    const counting: Machine<number, Delta, Delta> = {
      initial: 0,
      step: (count, delta) => ({ state: delta.kind === 'text' ? count + 1 : count, events: [delta] }),
      end: (count) => [{ kind: 'loss', feature: `${count} texts` }],
    }
    const machine = hookTurns(continuationMachine, [guardHook(counting as DeltaMachine, 'machines[0]')])
    const text = (piece: string): Delta => ({ kind: 'text', key: 'm', part: 'p', text: piece, logprobs: null })
    let state: unknown = machine.initial
    const written: string[] = []
    for (const input of [
      text('One'),
      { kind: 'turn ended' },
      { kind: 'continued', text: 'One', feature: 'two upstreams' },
      text(' two'),
      FINISH,
      { kind: 'turn ended' },
    ] as const) {
      const step = machine.step(state, input)
      state = step.state
      for (const output of step.events) written.push(output.kind === 'loss' ? output.feature : output.kind)
    }
    expect(written).toEqual(['text', 'died', 'two upstreams', 'text', 'finish', '2 texts', 'over'])
  })

  it('reads the texts of all turns, and has one end', () => {
    const last: Machine<string, Delta, Delta> = {
      initial: '',
      step: (state, delta) => ({ state: delta.kind === 'text' ? `${state}+` : state, events: [delta] }),
      end: (state) => [{ kind: 'loss', feature: `${state.length} texts` }],
    }
    const { text, fast } = search(upperCase)
    expect(fast).toBe(0)
    expect(text).not.toContain(' word')
    expect(search(last as DeltaMachine).status).toBe('completed')
  })
})

describe('a citation over a wire that has none', () => {
  const SOURCE = { url: 'https://a.example/', title: null, content: null, span: null, marker: null }
  const line = (content: string, done: boolean): Uint8Array =>
    toBytes(`${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done, done_reason: 'stop' })}\n`)
  const citing: DeltaMachine = {
    initial: null,
    step: (state, delta) => ({
      state,
      events:
        delta.kind === 'finish' ? [{ kind: 'citation', key: 'message', part: '', citation: SOURCE }, delta] : [delta],
    }),
    end: () => [],
  }
  const ollama = WIRES['ollama-chat']

  it('of a machine of the program is an annotation', () => {
    const { output } = collected(optionsOf(DIALECTS.openai, {}, 'x', withMachines(ollama, [citing])), [
      line('Hi', false),
      line('', true),
    ])
    expect(output).toMatchObject([{ content: [{ annotations: [{ type: 'url_citation', url: SOURCE.url }] }] }])
  })

  it('of another decoder is a loss', () => {
    const { citations: _, ...uncited } = withMachines(ollama, [citing])
    const stream = createTranslation(optionsOf(DIALECTS.openai, {}, 'x', uncited))
    for (const piece of [line('Hi', false), line('', true)]) stream.push(piece)
    stream.push('end')
    expect(stream.outcome()).toMatchObject({ status: 'completed', losses: ['url_citation'] })
  })
})
