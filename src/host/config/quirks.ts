import * as z from 'zod'
import type { Quirks } from '../../wires/quirks.ts'

const flag = z.boolean()

/** Excludes the fields that are set for single requests. */
type Configurable = Required<Omit<Quirks, 'jsonAnswer'>>

/** The quirks that the configuration may set for a vendor, under the names of `wires/quirks.ts`. */
const FIELDS = {
  thinkTags: z.union([flag, z.literal('unopened')]),
  unmarkedSources: flag,
  runsCustomCalls: flag,
  keyHeader: z.string().min(1),
  clientHeaders: z.array(z.enum(['anthropic-beta', 'anthropic-version', 'openai-beta'])),
  rawPredict: flag,
  likeModels: z.record(z.string().min(1), z.string().min(1)),
  openaiModels: flag,
  openaiFields: flag,
  developerRole: flag,
  customTools: flag,
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']),
  noStreamOptions: flag,
  refuses: z.array(
    z.enum([
      'tools',
      'parallel_tool_calls',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'user',
      'max_output_tokens',
      'max_tool_calls',
      'temperature',
      'top_p',
      'metadata',
      'safety_identifier',
      'truncation',
      'reasoning.summary',
    ]),
  ),
  maxTemperature: z.number().positive(),
  effort: z.enum(['openai', 'deepseek', 'groq', 'xai', 'mistral', 'nested', 'moonshot', 'alibaba', 'zai', 'template']),
  reasoningHistory: z.enum(['reasoning_content', 'reasoning', 'thinking', 'reasoning_details']),
  requiredWord: z.enum(['required', 'any']),
  noNamedChoice: flag,
  noJsonSchema: flag,
  refusalAsText: flag,
  files: z.enum(['file', 'file-url', 'document_url', 'none']),
  bareAudio: flag,
  callIds: z.enum(['short', 'long', 'nine']),
  noUserAfterTool: flag,
  strictTurns: flag,
  hostedHistory: flag,
  webSearch: z.enum(['openai', 'preview', 'xai', 'openrouter']),
  streamsOnly: flag,
  needsInstructions: flag,
  noSystemRole: flag,
  alwaysSearches: flag,
  ownModelNames: flag,
  nativeSearch: z.enum(['none', 'plain', 'allowed', 'either', 'both']),
} satisfies { readonly [Name in keyof Configurable]: z.ZodType<Configurable[Name]> }

export const quirks = z.strictObject(FIELDS).partial()
