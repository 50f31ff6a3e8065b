import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { encodeCheck, openRequest, receiveAnswer, spend } from './exchange.ts'
import { GREETING, greet } from './request-form.ts'
import { ROW_TOKENS } from './requests.ts'
import type { Row } from './row.ts'

const MODELS_ROW: Row = {
  name: 'models',
  about: 'the model list',
  requests: 1,
  tokens: 0,
  async run(server) {
    const [path, member, name] = server.protocol.models
    spend(server.budget, 0)
    const answer = await receiveAnswer(server, { method: 'GET', path })
    if (!answer.ok) return { findings: [{ rule: 'connection', form: 'whole', message: answer.reason }], reason: null }
    if (answer.status !== 200) return { findings: [], reason: `status ${answer.status}` }
    const list = isObject(answer.value) ? answer.value[member] : undefined
    const isRight =
      toArray(list).length > 0 && toArray(list).every((one) => isObject(one) && isNonEmptyString(one[name]))
    return isRight
      ? { findings: [], reason: null }
      : {
          findings: [{ rule: 'models', form: 'whole', message: `${member} is not a list of objects with ${name}` }],
          reason: null,
        }
  },
}

const NO_STREAMS = 'only whole answers are checked'

const CANCEL_ROW: Row = {
  name: 'cancel',
  about: 'a request after a cancelled stream',
  requests: 2,
  tokens: 2 * ROW_TOKENS,
  async run(server) {
    const encoded = encodeCheck(server, GREETING, true)
    if (typeof encoded === 'string') return { findings: [], reason: encoded }
    if (!server.forms.includes('streamed')) return { findings: [], reason: NO_STREAMS }
    spend(server.budget, ROW_TOKENS)
    const leaving = new AbortController()
    const { path, headers, body } = encoded
    const response = await openRequest(server, { path, headers, body: JSON.stringify(body), signal: leaving.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    leaving.abort()
    await reader?.cancel().catch(() => undefined)
    const form = server.forms.includes('whole') ? 'whole' : 'streamed'
    const { findings, reason } = await greet(server, form)
    return { findings: findings.map(({ message }) => ({ rule: 'cancel', form, message })), reason }
  },
}

/** A code for each of the concurrent requests. */
const CODES = ['AH-1027', 'BR-2206', 'CV-3318'] as const
const CONCURRENT = CODES.length

const CONCURRENT_ROW: Row = {
  name: 'concurrent',
  about: 'three concurrent streams',
  requests: CONCURRENT,
  tokens: CONCURRENT * ROW_TOKENS,
  async run(server) {
    if (!server.forms.includes('streamed')) return { findings: [], reason: NO_STREAMS }
    const all = await Promise.all(CODES.map((code) => greet(server, 'streamed', `End with the code ${code}.`)))
    const mixed = all.flatMap(({ summary }, at) => {
      const other = CODES.find((code, i) => i !== at && summary.text.includes(code))
      const message = `the answer to the request with ${CODES[at]} has ${other}`
      return other === undefined ? [] : [{ rule: 'mixed', form: 'streamed', message }]
    })
    return {
      findings: [...all.flatMap(({ findings }) => findings), ...mixed],
      reason: all.find(({ reason }) => reason !== null)?.reason ?? null,
    }
  },
}

/** Rows about the server, not about one answer: its list of models, cancellations, and concurrent requests. */
export const SERVICE_ROWS: readonly Row[] = [MODELS_ROW, CANCEL_ROW, CONCURRENT_ROW]
