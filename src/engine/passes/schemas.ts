import type { ModelFacts } from '../../models/facts.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request, Tool } from '../../protocol/request.ts'
import { mapSteps, type Steps } from '../../text/steps.ts'
import type { UpstreamContext } from '../../wires/contract.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import { closeSchema, type SchemaSize } from '../../wires/shared/upstream/schemas/close-schema.ts'
import { mendTools, roundedSchemas } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import { NOT_STRICT, strictLosses } from '../../wires/shared/upstream/strict-tools.ts'
import { type Fitted, fitting } from './fit.ts'
import { formatAsInstruction } from './fit-tools.ts'
import type { Pass, Passed, PlannedPass } from './pass.ts'

/** Schemas have nothing that the upstream refuses. Numbers that parsing has rounded are losses. */
export const schemas: Pass = (_, context): PlannedPass => {
  const facts = factsOf(context, context.wire.name)
  return { apply: (request, target) => mend(request, target, facts) }
}

function* mend(original: Request, { quirks }: UpstreamContext, facts: ModelFacts): Steps<Passed> {
  const mended = yield* mendTools(original, quirks.refusesInSchemas ?? [])
  const closed = facts.schemas === 'closed' ? yield* closeSchemas(mended.request, facts) : fitting(mended.request)
  const own = [...mended.losses, ...closed.losses, ...roundedSchemas(closed.request)]
  return {
    ok: true,
    request: closed.request,
    losses: own,
  }
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
    if (tool.type !== 'function' || tool.strict !== true || tool.parameters === null) return tool
    const closed = closeSchema(tool.parameters, `tools[${at}].parameters`)
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
