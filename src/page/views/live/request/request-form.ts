import { isObject, toArray } from '../../../../text/json.ts'
import type { LiveProtocol } from '../answer/protocols.ts'
import { FORM_FIELDS, type JsonBody } from './form-fields.ts'

/** The fields of the form. `effort` is empty if the request has none. */
export interface RequestForm {
  readonly model: string
  readonly prompt: string
  readonly system: string
  readonly tools: boolean
  readonly effort: string
}

export const EMPTY_FORM: RequestForm = {
  model: '',
  prompt: 'Why is the sky blue? Answer in three sentences.',
  system: '',
  tools: false,
  effort: '',
}

/** Reads the form from a body. The address of some protocols has the model: then the body has none, and `model` counts. */
export function readForm(protocol: LiveProtocol, body: JsonBody, model: string): RequestForm {
  const { prompt, system, effort, hasModel } = FORM_FIELDS[protocol]
  return {
    model: hasModel && typeof body.model === 'string' ? body.model : model,
    prompt: prompt.read(body),
    system: system.read(body),
    tools: toArray(body.tools).length > 0,
    effort: effort.read(body),
  }
}

/** Writes the fields in which the form differs from the body, and leaves all other members as they are. */
export function writeForm(protocol: LiveProtocol, body: JsonBody, form: RequestForm): JsonBody {
  const { prompt, system, effort, tools, hasModel } = FORM_FIELDS[protocol]
  const now = readForm(protocol, body, form.model)
  let next = body
  if (hasModel && body.model !== form.model) next = { ...next, model: form.model }
  if (now.system !== form.system) next = system.write(next, form.system)
  if (now.prompt !== form.prompt) next = prompt.write(next, form.prompt)
  if (now.tools !== form.tools) next = form.tools ? { ...next, tools } : withoutTools(next)
  if (now.effort !== form.effort) next = effort.write(next, form.effort)
  return next
}

function withoutTools({ tools: _, tool_choice: __, toolConfig: ___, ...rest }: JsonBody): JsonBody {
  return rest
}

export const bodyOfForm = (protocol: LiveProtocol, form: RequestForm): JsonBody =>
  writeForm(protocol, FORM_FIELDS[protocol].start, form)

export const isJsonBody = (value: unknown): value is JsonBody => isObject(value)
