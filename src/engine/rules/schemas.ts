import type { ModelFacts } from '../../models/facts.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request, Tool } from '../../protocol/request.ts'
import { mapSteps, type Steps } from '../../text/steps.ts'
import { closeSchema, type SchemaSize } from '../../wires/shared/upstream/schemas/close-schema.ts'
import { mendTools } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import { NOT_STRICT, strictLosses } from '../../wires/shared/upstream/strict-tools.ts'
import { type Fitted, fitting, type Rule } from './rule.ts'
import { formatAsInstruction } from './tools.ts'

/** Schemas of functions have nothing that the upstream refuses. */
export const toolSchemas: Rule = {
  name: 'schemas of functions',
  when: ({ quirks }) => (quirks.refusesInSchemas?.length ?? 0) > 0,
  mend: (request, { quirks }) => mendTools(request, quirks.refusesInSchemas ?? []),
}

/** Schemas that bind the model are of the subset that it binds itself to. */
export const closedSchemas: Rule = {
  name: 'schemas that bind',
  when: ({ model }) => model.schemas === 'closed',
  mend: (request, { model }) => closeSchemas(request, model),
}

// ---------------------------------------------------------------- schemas that bind Claude

/** Of all strict tools of a request together with its format: "Schemas contains too many optional parameters". */
const MOST: SchemaSize = { optional: 24, unions: 16 }

const sum = (a: SchemaSize, b: SchemaSize): SchemaSize => ({
  optional: a.optional + b.optional,
  unions: a.unions + b.unions,
})

const exceeds = ({ optional, unions }: SchemaSize): boolean => optional > MOST.optional || unions > MOST.unions

/** The format is bound first, and then as many strict tools as the upstream accepts, in their order. */
function* closeSchemas(original: Request, facts: ModelFacts): Steps<Fitted> {
  const isStrict = facts.strictTools === true && original.tools.some((tool) => tool.type === 'function' && tool.strict)
  if (!isStrict && original.text?.format?.type !== 'json_schema') return fitting(original)
  const format = facts.jsonSchema === true ? closeFormat(original) : { ...fitting(original), size: NOTHING }
  const losses: Loss[] = [...format.losses]
  let size = format.size
  const close = (tool: Tool, at: number): Tool => {
    if (tool.type !== 'function' || tool.strict !== true) return tool
    const closed = closeSchema(tool.parameters ?? NO_PARAMETERS, `tools[${at}].parameters`)
    const all = closed === null ? size : sum(size, closed.size)
    if (closed === null || exceeds(all)) {
      losses.push(...strictLosses(tool, at, closed === null ? 'subset' : 'size'))
      return { ...tool, strict: null }
    }
    size = all
    losses.push(...closed.losses)
    return { ...tool, parameters: closed.schema }
  }
  const tools = isStrict ? yield* mapSteps(original.tools, close) : original.tools
  return fitting(tools === original.tools ? format.request : { ...format.request, tools }, ...losses)
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

const NOTHING: SchemaSize = { optional: 0, unions: 0 }

function closeFormat(request: Request): Fitted & { readonly size: SchemaSize } {
  const format = request.text?.format ?? null
  if (format?.type !== 'json_schema') return { ...fitting(request), size: NOTHING }
  const closed = closeSchema(format.schema, 'text.format.schema')
  if (closed === null || exceeds(closed.size)) {
    return { ...formatAsInstruction(request, format, `sent as an instruction: ${NOT_STRICT.subset}`), size: NOTHING }
  }
  const text = { format: { ...format, schema: closed.schema }, verbosity: request.text?.verbosity ?? null }
  return { ...fitting({ ...request, text }, ...closed.losses), size: closed.size }
}
