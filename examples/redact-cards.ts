// Masks the numbers of payment cards in what models write: in texts, reasoning and arguments of calls, also where a number
// is cut across chunks. The machine is pure: its state is plain JSON, and holds back the digits at the end of each text.
import { createGateway, type Delta, type Machine, type Request } from 'millrace/fetch'

type Text = Extract<Delta, { kind: 'text' | 'refusal' | 'reasoning' | 'summary' | 'call' }>
/** The last delta of each text that ends with digits, with these digits as its text. */
type Held = Readonly<Record<string, Text>>

const RUN = /\d(?:[ -]?\d)*/g
const LAST_RUN = /\d(?:[ -]?\d)*[ -]?$/
const LONGEST_CARD = 19

/** The checksum of card numbers (Luhn) counts every second digit twice, from the last one but one on. */
function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > LONGEST_CARD) return false
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const twice = Number(digit) * ((i % 2) + 1)
    return total + (twice > 9 ? twice - 9 : twice)
  }, 0)
  return sum % 10 === 0
}

/** Masks every card number, and leaves its last four digits. A mask of digits keeps JSON valid. */
const mask = (text: string, by: string): string =>
  text.replace(RUN, (run) => {
    const digits = run.replace(/\D/g, '')
    if (!isCard(digits)) return run
    let left = digits.length - 4
    return run.replace(/\d/g, (digit) => (left-- > 0 ? by : digit))
  })

const textOf = (delta: Text): string => (delta.kind === 'call' ? delta.arguments : delta.text)
// Tokens of a masked text would show it.
const withText = (delta: Text, text: string): Text =>
  delta.kind === 'call' ? { ...delta, arguments: text } : { ...delta, text, logprobs: null }
const masked = (delta: Text): Text => withText(delta, mask(textOf(delta), delta.kind === 'call' ? '9' : '*'))
/** More of a call needs neither its id nor its name again. */
const rest = (delta: Text, text: string): Text =>
  withText(delta.kind === 'call' ? { ...delta, callId: null, name: null } : delta, text)

const isText = (delta: Delta): delta is Text => ['text', 'refusal', 'reasoning', 'summary', 'call'].includes(delta.kind)
const placeOf = (delta: Text): string => `${delta.kind} ${delta.key} ${delta.kind === 'call' ? '' : delta.part}`

export const redactCards: Machine<Held, Delta, Delta> = {
  initial: {},
  step(held, delta) {
    // Counts and the like have no place in the order of texts.
    if (['usage', 'served', 'loss', 'start'].includes(delta.kind)) return { state: held, events: [delta] }
    const place = isText(delta) ? placeOf(delta) : null
    // Calls may be written in turns; anything else ends the texts before it.
    const waits = ([name, one]: [string, Text]): boolean =>
      name === place || (delta.kind === 'call' && one.kind === 'call')
    const entries = Object.entries(held)
    const ended = entries.filter((entry) => !waits(entry)).map(([, one]) => masked(one))
    const others = Object.fromEntries(entries.filter((entry) => waits(entry) && entry[0] !== place))
    if (delta.kind === 'final')
      return { state: others, events: [...ended, { ...delta, whole: masked(delta.whole) as typeof delta.whole }] }
    if (!isText(delta) || place === null) return { state: others, events: [...ended, delta] }
    const text = (held[place] === undefined ? '' : textOf(held[place])) + textOf(delta)
    const [end = ''] = LAST_RUN.exec(text) ?? []
    // Digits that are too many for a card go on as they are.
    const kept = end.replace(/\D/g, '').length > LONGEST_CARD ? '' : end
    const now = masked(withText(delta, text.slice(0, text.length - kept.length)))
    const isEmpty = textOf(now) === '' && (delta.kind !== 'call' || (delta.callId === null && delta.name === null))
    const state = kept === '' ? others : { ...others, [place]: rest(delta, kept) }
    return { state, events: isEmpty ? ended : [...ended, now] }
  },
  end: (held) => Object.values(held).map(masked),
}

/** Masks the texts of a request as well. Other code could call a service here, or refuse the request. */
const maskInput = (request: Request): Request =>
  JSON.parse(
    JSON.stringify(request, (name, value) => {
      if (typeof value !== 'string') return value
      if (name === 'text' || name === 'instructions') return mask(value, '*')
      return name === 'arguments' ? mask(value, '9') : value
    }),
  )

const gateway = createGateway(
  {
    keys: [{ name: 'app', sha256: process.env.CLIENT_KEY_SHA256 ?? '' }],
  },
  {
    env: process.env,
    machines: [() => redactCards],
    requests: [
      (request, { key }) =>
        key === 'kiosk' && request.tools.length > 0
          ? { refusal: { message: 'tools: this key may not use tools', param: 'tools' } }
          : maskInput(request),
    ],
  },
)

export default gateway
