import type { Delta } from './delta.ts'
import type { GatewayError } from './error.ts'

/** Words of an upstream without the secrets that were sent to it. */
export type Redact = (text: string) => string

/** A shorter secret could be any word. */
const SHORTEST = 6

/** A text may be cut inside a secret: so many last characters that begin one are part of it. */
const SHORTEST_START = 8

const HIDDEN = '[secret]'

/** Forms in which a secret comes back: as it is, in a JSON string, in a URL. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '\ufffd')),
]

/**
 * Hides these secrets in any text, and their beginnings where the text was cut. Linear in the text for each secret.
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf))]
    // Of two secrets of which one holds the other, the longer is hidden.
    .sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  return (text) =>
    forms.reduce(
      hideStart,
      forms.reduce((shown, form) => shown.replaceAll(form, HIDDEN), text),
    )
}

function hideStart(text: string, secret: string): string {
  const body = text.endsWith('…') ? text.slice(0, -1) : text
  for (let size = Math.min(secret.length - 1, body.length); size >= SHORTEST_START; size -= 1) {
    if (body.endsWith(secret.slice(0, size))) return `${body.slice(0, -size)}${HIDDEN}`
  }
  return text
}

/** A failure without secrets in its words. */
export const redactError = (error: GatewayError, redact: Redact): GatewayError => ({
  ...error,
  code: redact(error.code),
  message: redact(error.message),
})

/** What an upstream says of itself, which may quote what was sent to it. The text of an answer stays as it is. */
export function redactDelta(delta: Delta, redact: Redact): Delta {
  switch (delta.kind) {
    case 'start':
      return { ...delta, model: redact(delta.model) }
    case 'error':
    case 'cut':
      return { ...delta, error: redactError(delta.error, redact) }
    case 'loss':
      return { ...delta, feature: redact(delta.feature) }
    default:
      return delta
  }
}
