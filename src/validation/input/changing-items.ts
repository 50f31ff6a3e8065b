import * as z from 'zod'
import { MAX_LENGTHS } from '../../protocol/limits.ts'
import { EFFORT_LEVELS, type GivenTool, type InputItem } from '../../protocol/request.ts'
import { jsonObject, optional, optionalList, text } from '../fields.ts'
import { describeAs, type JsonSchema } from '../json-schema.ts'
import { flatten } from '../namespaces.ts'
import { textFormat } from '../parameters.ts'
import { tool } from '../tools.ts'

// Items that change the tools or the settings of a request from their place on (openai 7.57,
// `ResponseInputItem.AdditionalTools`, `ResponseToolSearchOutputItemParam`, `ResponseConfigurationUpdateItemParam`).

/** The types of these items. Their schemas expect the item itself, as it was sent, in the field `item`. */
export const CHANGING_ITEMS = ['additional_tools', 'tool_search_output', 'configuration_update'] as const

const withoutItem = ({ properties: { item: _, ...properties } = {}, ...own }: JsonSchema): JsonSchema => ({
  ...own,
  properties,
  required: (own.required ?? []).filter((name) => name !== 'item'),
})

const origin = { id: text.max(MAX_LENGTHS.id).nullish(), item: jsonObject }

const toAdded = ({
  item,
  tools,
}: {
  readonly item: Extract<InputItem, { readonly type: 'other' }>['item']
  readonly tools: readonly GivenTool[]
}): InputItem => ({ type: 'other', item, added: { given: tools, tools: flatten(tools) } })

export const additionalTools = describeAs(
  z.object({
    ...origin,
    type: z.literal('additional_tools'),
    role: text.nullish(),
    tools: z.array(tool),
  }),
  withoutItem,
).transform(toAdded)

export const toolSearchOutput = describeAs(
  z.object({
    ...origin,
    type: z.literal('tool_search_output'),
    call_id: text.max(MAX_LENGTHS.id).nullish(),
    execution: text.nullish(),
    status: text.nullish(),
    tools: optionalList(tool),
  }),
  withoutItem,
).transform(toAdded)

export const configurationUpdate = describeAs(
  z.object({
    ...origin,
    type: z.literal('configuration_update'),
    reasoning: optional(z.object({ effort: optional(z.enum(EFFORT_LEVELS)) })),
    text: optional(z.object({ format: optional(textFormat) })),
  }),
  withoutItem,
).transform(
  ({ item, reasoning, text: words }): InputItem => ({
    type: 'other',
    item,
    update: { effort: reasoning?.effort ?? null, format: words?.format ?? null },
  }),
)
