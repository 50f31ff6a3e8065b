import { type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request, TextFormat } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { formatJson } from '../../text/json.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { type Facts, type Fitted, fitting, isReasoningOn, type RequestRule } from './rule.ts'
import { hasFunctions } from './tools.ts'

/** A format that is not bound: it becomes a text of the instructions, which stay the same in each request. */
function formatSentence(format: TextFormat, mayCall: boolean): string {
  const unless = mayCall ? 'and nothing else, unless you call a tool' : 'and nothing else'
  if (format.type !== 'json_schema') return `Answer with one JSON object ${unless}.`
  const { description, schema } = format
  const described = description ? `\nThe JSON is: ${description}` : ''
  return `Answer with JSON that matches this schema ${unless}:\n${formatJson(schema)}${described}`
}

/** `why`: the loss of the format. `sent`: the format that stays. */
export function formatAsInstruction(
  request: Request,
  format: TextFormat,
  why: string,
  sent: TextFormat | null = null,
): Fitted {
  const { instructions, text } = request
  const sentence = formatSentence(format, hasFunctions(request))
  return fitting(
    {
      ...request,
      instructions: [...(instructions ? [instructions] : []), sentence].join('\n\n'),
      text: { format: sent, verbosity: text?.verbosity ?? null },
    },
    mapped('text.format', why),
  )
}

const hasServerTools = ({ tools, tool_choice }: Request): boolean =>
  tool_choice !== 'none' && tools.some(({ type }) => type === 'hosted')

/**
 * JSON output beside tools is an instruction where the model or its host refuses both together. A model that runs no
 * server tools beside functions treats them as it treats functions ("Tool use with a response mime type … is unsupported").
 */
function fitJsonWithTools(request: Request, { model: { jsonWithTools, mixesTools } }: Facts): Fitted {
  const { text, tool_choice: choice } = request
  const format = text?.format ?? null
  const hasTools = hasFunctions(request) || (mixesTools === false && hasServerTools(request))
  if (format === null || format.type === 'text' || !hasTools) return fitting(request)
  const isForced = choice !== null && choice !== 'auto' && choice !== 'none'
  if (jsonWithTools === 'auto' && !isForced) return fitting(request)
  const why = 'sent as an instruction, because this model refuses JSON output together with tools'
  return formatAsInstruction(request, format, why)
}

export const jsonWithTools: RequestRule = {
  name: 'JSON beside functions',
  subject: 'format',
  when: ({ model: { jsonWithTools: limit = 'all' } }) => limit !== 'all',
  mend: fitJsonWithTools,
}

export const jsonWhileReasoning: RequestRule = {
  name: 'JSON beside reasoning',
  subject: 'format',
  when: ({ model }) => model.jsonWhileReasoning === false,
  mend(request, { model }) {
    const format = request.text?.format ?? null
    if (format === null || format.type === 'text' || !isReasoningOn(request, model)) return fitting(request)
    const why = 'sent as an instruction, because this model refuses JSON output together with reasoning'
    return formatAsInstruction(request, format, why)
  },
}

/** The model follows a schema that it reads; a vendor with JSON output binds it to JSON besides. */
export const unboundFormat: RequestRule = {
  name: 'JSON schemas',
  subject: 'format',
  when: ({ model, quirks }) => model.jsonSchema === false || quirks.noJsonSchema === true,
  mend(request, { quirks: { noJsonSchema } }) {
    const format = request.text?.format
    if (format?.type !== 'json_schema') return fitting(request)
    const sent = noJsonSchema === true ? ({ type: 'json_object' } as const) : null
    const { request: instructed } = formatAsInstruction(request, format, '', sent)
    return fitting(instructed, mapped('text.format.schema', 'sent as an instruction'))
  },
}

export const onlySchemas: RequestRule = {
  name: 'JSON without a schema',
  subject: 'format',
  when: ({ quirks }) => quirks.noJsonObject === true,
  mend(request) {
    const format = request.text?.format
    return format?.type === 'json_object'
      ? formatAsInstruction(
          request,
          format,
          'sent as an instruction, because this upstream has JSON output with a schema only',
        )
      : fitting(request)
  },
}

// ---------------------------------------------------------------- the word JSON

const JSON_WORD = /json/i

const SENTENCE = 'Answer with one JSON object.'

const hasWordInParts = (parts: readonly { readonly type: string }[]): boolean =>
  parts.some((part) => 'text' in part && typeof part.text === 'string' && JSON_WORD.test(part.text))

function hasWord(item: InputItem): boolean {
  if (item.type === 'message') return hasWordInParts(item.content)
  return 'output' in item && hasWordInParts(item.output)
}

const sentence: readonly InputPart[] = [{ type: 'input_text', text: SENTENCE }]

const ADDED: Loss = mapped(
  'text.format',
  `sent with the sentence "${SENTENCE}", because this upstream requires the word`,
)

/** The Responses API looks for the word in the input; elsewhere the instructions are a message as well. */
export const jsonWord: RequestRule = {
  name: 'the word JSON',
  subject: 'format',
  when: ({ model }) => model.jsonWord === true,
  mend(request, { wire, model }) {
    const { input, instructions, text } = request
    // With one system message, the instructions are that message.
    const inInput = wire.name === RESPONSES_WIRE && model.oneSystem !== true
    if (text?.format?.type !== 'json_object' || input.some(hasWord)) return fitting(request)
    if (!inInput && instructions !== null && JSON_WORD.test(instructions)) return fitting(request)
    if (!inInput)
      return fitting(
        { ...request, instructions: [...(instructions ? [instructions] : []), SENTENCE].join('\n\n') },
        ADDED,
      )
    return {
      request: { ...request, input: [{ type: 'message', role: 'developer', content: sentence }, ...input] },
      losses: [ADDED],
      toEarlier: movedEntries({ input: [null, ...input.keys()] }),
    }
  },
}

const NAME = /^[\w-]{1,64}$/

/** OpenAI: "string does not match pattern", '^[a-zA-Z0-9_-]+$', and at most 64 characters. */
export const formatNames: RequestRule = {
  name: 'names of formats',
  subject: 'format',
  when: ({ quirks }) => quirks.openaiModels === true,
  mend(request) {
    const { text } = request
    if (text?.format?.type !== 'json_schema' || NAME.test(text.format.name)) return fitting(request)
    const name = text.format.name.replace(/[^\w-]/g, '_').slice(0, 64) || 'answer'
    return fitting(
      { ...request, text: { ...text, format: { ...text.format, name } } },
      mapped('text.format.name', `sent as ${name}: other characters are refused, and more than 64`),
    )
  },
}
