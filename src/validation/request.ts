import { z } from 'zod'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Request, Tool } from '../protocol/request.ts'
import { optional, optionalList, text } from './fields.ts'
import { describe, formatPlace } from './issue.ts'
import { input } from './items.ts'
import { account, bounds, reasoning, refused, sampling, search, textOptions } from './parameters.ts'
import { type Choice, tool, toolChoice } from './tools.ts'

const shape = z.object({
  model: z.string().trim().min(1),
  ...refused,
  input,
  stream: optional(z.boolean()),
  instructions: optional(text),
  ...sampling,
  ...bounds,
  reasoning,
  tools: optionalList(tool),
  tool_choice: optional(toolChoice),
  parallel_tool_calls: optional(z.boolean()),
  text: textOptions,
  ...account,
  include: optionalList(text),
  ...search,
})

/** `allowed_tools` asks for the same request with the other tools left out: so that every wire can carry it. */
const allowedOf = (tools: readonly Tool[], choice: Choice | null): readonly Tool[] => {
  const allowed = choice?.allowed ?? null
  return allowed === null ? tools : tools.filter(({ name }) => allowed.includes(name))
}

/** What no upstream could make sense of: a call is forced, and there is no such tool. */
function unknownTool({ tools, tool_choice }: z.output<typeof shape>): string | null {
  const choice = tool_choice?.choice ?? null
  if (choice === null || typeof choice === 'string') return null
  const found = tools.some(({ type, name }) => type === choice.type && name === choice.name)
  return found ? null : `expected a tool that is in tools, got ${JSON.stringify(choice.name)}`
}

function toRequest(fields: z.output<typeof shape>): Request {
  const { store, background, previous_response_id, conversation, prompt, tool_choice, ...rest } = fields
  return {
    ...rest,
    stream: rest.stream ?? false,
    tools: allowedOf(rest.tools, tool_choice),
    tool_choice: tool_choice?.choice ?? null,
    // Clients of other wires have it: `Client.decodeRequest`.
    stop: null,
  }
}

const schema: z.ZodType<Request> = shape
  .superRefine((fields, context) => {
    const message = unknownTool(fields)
    if (message !== null) context.addIssue({ code: 'custom', message, path: ['tool_choice', 'name'] })
  })
  .transform(toRequest)

export type Validated =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly error: GatewayError }

const refuse = (path: readonly PropertyKey[], message: string): Validated => {
  const place = formatPlace(path)
  return { ok: false, error: clientError('invalid_prompt', `${place}: ${message}`, place) }
}

/**
 * Any value at all → a normalised request, or what is wrong with it and where. Strict about what this service knows,
 * easy about the rest: clients send many more fields than any description has.
 */
export function validateRequest(body: unknown): Validated {
  const result = schema.safeParse(body, { error: describe })
  if (result.success) return { ok: true, request: result.data }
  const [issue] = result.error.issues
  return issue === undefined ? refuse([], 'expected another value') : refuse(issue.path, issue.message)
}
