import { answerOf } from '../../bench/linearity/answers.ts'
import { CLIENTS, type ClientName, historyOf } from '../../bench/linearity/histories.ts'
import { imagesOf } from '../../bench/linearity/images.ts'
import { translateBody, translateRequest } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { CoreCase } from './core.ts'

/** Whole requests and answers, from the client's body to the upstream's and back. */

export const NAMES = Object.keys(WIRES) as readonly WireName[]

/** Each client protocol with each wire. */
export const PAIRS = CLIENTS.flatMap((from) => NAMES.map((to) => ({ from, to })))

export function translate(body: JsonObject | string, from: ClientName, to: WireName): void {
  // Gemini's clients have the model and the kind of answer in the URL.
  const translated = translateRequest(body, { from, to, model: 'm', stream: false })
  if (!translated.ok) throw new Error(translated.error.message)
}

const SESSIONS: readonly CoreCase[] = PAIRS.map(({ from, to }) => ({
  title: `a long session of ${from} for ${to}`,
  work: (n) => {
    const body = historyOf(from, n)
    return () => translate(body, from, to)
  },
}))

const MANY_IMAGES: readonly CoreCase[] = PAIRS.map(({ from, to }) => ({
  title: `many images of ${from} for ${to}`,
  work: (n) => {
    const text = JSON.stringify(imagesOf(from, n, 64))
    return () => translate(text, from, to)
  },
}))

const TARGETS = ['beta', 'openai', 'openai-chat', 'anthropic-messages', 'gemini-generate', 'ollama-chat'] as const

const ANSWERS: readonly CoreCase[] = NAMES.flatMap((from) =>
  TARGETS.map((to) => ({
    title: `a whole answer of ${from} for ${to}`,
    work: (n: number) => {
      const text = JSON.stringify(answerOf(from, { size: 100 * n, calls: n, citations: n }))
      return () => {
        const { outcome } = translateBody(text, { from, to })
        if (outcome.status === 'failed') throw new Error(outcome.error?.message)
      }
    },
  })),
)

export const WHOLE_CASES: readonly CoreCase[] = [...SESSIONS, ...MANY_IMAGES, ...ANSWERS]
