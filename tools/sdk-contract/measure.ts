import type { WireName } from '../../src/wires/contract.ts'
import { REQUESTS } from './base-bodies.ts'
import type { SampleContext } from './build-sample.ts'
import { answersOf, CLIENT_NAMES, measureAnswer } from './measure-answers.ts'
import {
  type Effect,
  isPlain,
  type Measured,
  measureRequest,
  type RequestProbe,
  requestsOf,
  UPSTREAM_NAMES,
} from './measure-requests.ts'
import { contextOf, declarationsOf, type FoundWord, wordsOf } from './package-words.ts'
import type { SdkPackage } from './packages.ts'
import { CELLS, joinRows, type Row } from './rows.ts'
import { WITHOUT_EFFECT } from './without-effect.ts'
import { writtenWords } from './written-words.ts'

const SHORT: Readonly<Partial<Record<WireName, string>>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  'gemini-generate': 'gemini',
  'gemini-interactions': 'interactions',
  'bedrock-converse': 'bedrock',
  'cohere-chat': 'cohere',
  'ollama-chat': 'ollama',
}

/** The words of the tables, the best first. `no effect`: its absence changes nothing. `unreported`: no loss names it. */
const ORDER = ['carried', 'mapped', 'dropped', 'refused', 'no effect', 'unused', 'unreported']

function wordOf(path: string, direction: 'request' | 'answer', effect: Effect): { word: string; why: string } {
  if (effect !== 'silent') return { word: effect, why: '' }
  const known = WITHOUT_EFFECT.find((one) => one.direction !== otherOf(direction) && one.words.test(path))
  return known === undefined ? { word: 'unreported', why: '' } : { word: 'no effect', why: known.why }
}

const otherOf = (direction: 'request' | 'answer'): 'request' | 'answer' =>
  direction === 'request' ? 'answer' : 'request'

/** One word if it is the same for all protocols; else each word with its protocols. */
function formatEffects(effects: readonly (readonly [WireName, string])[]): string {
  const words = ORDER.filter((word) => effects.some(([, own]) => own === word))
  if (words.length <= 1) return words[0] ?? ''
  return words
    .map((word) => `${word} ${effects.flatMap(([wire, own]) => (own === word ? [SHORT[wire]] : [])).join(' ')}`)
    .join(', ')
}

/** What becomes of one word. */
export function measureWord(
  context: SampleContext,
  { path, request, answer }: FoundWord,
  written: ReadonlySet<string>,
): Row {
  const whys: string[] = []
  const note = (list: readonly (readonly [WireName, Measured])[], direction: 'request' | 'answer') =>
    list.map(([wire, { effect, why }]) => {
      const found = wordOf(path, direction, effect)
      const reason = why || found.why
      if (reason !== '' && !whys.includes(reason)) whys.push(reason)
      return [wire, found.word] as const
    })
  const cells = { requestSame: '', requestOthers: '', answerSame: '', answerOthers: '' }
  if (request !== null) {
    const { wire, vendor } = request.root
    if (REQUESTS[wire] === undefined) cells.requestOthers = written.has(path) ? 'carried' : 'unused'
    else {
      const probe: RequestProbe = { context, wire, vendor }
      const samples = requestsOf(probe, request.word)
      const all = note(
        UPSTREAM_NAMES.map((to) => [to, measureRequest(probe, samples, isPlain(request.word), to)] as const),
        'request',
      )
      cells.requestSame = formatEffects(all.filter(([to]) => to === wire))
      cells.requestOthers = formatEffects(all.filter(([to]) => to !== wire))
    }
  }
  if (answer !== null) {
    const { wire, vendor, direction } = answer.root
    const probe: RequestProbe = { context, wire, vendor }
    const samples = answersOf(probe, answer.word, direction)
    const all = note(
      CLIENT_NAMES.map((to) => [to, measureAnswer(probe, samples, isPlain(answer.word), direction, to)] as const),
      'answer',
    )
    cells.answerSame = formatEffects(all.filter(([to]) => to === wire))
    cells.answerOthers = formatEffects(all.filter(([to]) => to !== wire))
  }
  return { word: path, ...cells, why: formatReasons(whys) }
}

const formatReasons = (whys: readonly string[]): string => {
  const text = whys.map((why) => why.replace(/\s+/g, ' ')).join('; ')
  return text.length <= 240 ? text : `${text.slice(0, 237)}...`
}

/** The table of a package as its types and the behaviour of the engine give it. */
export function measurePackage(sdk: SdkPackage): readonly Row[] {
  const rows = measureWords(sdk, () => true)
  return joinRows(rows, [...declarationsOf(sdk).roots.keys()])
}

/** The rows of the words that are chosen. */
export function measureWords(sdk: SdkPackage, isChosen: (path: string) => boolean): readonly Row[] {
  const declarations = declarationsOf(sdk)
  const context = contextOf(sdk, declarations)
  const written = writtenWords(sdk, declarations)
  return wordsOf(sdk, declarations)
    .filter(({ path }) => isChosen(path))
    .map((word) => measureWord(context, word, written))
}

export const sameCells = (a: Row, b: Row): boolean => CELLS.every((cell) => a[cell] === b[cell])
