import { z } from 'zod'
import { base64, count, json, type Loose, oneOf, type SchemaTurn, type VendorSchema } from './schema.ts'

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/)
const inlineData = z.strictObject({ mimeType: z.string().min(3), data: base64 })
const fileData = z.strictObject({ mimeType: z.string().optional(), fileUri: z.string().min(1) })

const part = oneOf(
  {
    text: z.string(),
    inlineData,
    fileData,
    functionCall: z.strictObject({ id: z.string().min(1).optional(), name, args: json.optional() }),
    functionResponse: z.strictObject({
      id: z.string().min(1).optional(),
      name,
      response: json,
      parts: z.array(oneOf({ inlineData, fileData })).min(1).optional(),
    }),
  },
  { thought: z.boolean().optional(), thoughtSignature: z.string().min(1).optional() },
).refine((it) => it.text !== '' || it.thoughtSignature !== undefined, 'an empty part')

const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })

const tool = oneOf({
  functionDeclarations: z
    .array(z.strictObject({ name, description: z.string().optional(), parametersJsonSchema: json.optional() }))
    .min(1),
  googleSearch: json,
  codeExecution: z.strictObject({}),
  urlContext: z.strictObject({}),
})

const schema = z
  .strictObject({
    contents: z.array(content).min(1),
    systemInstruction: z
      .strictObject({ role: z.string().optional(), parts: z.array(oneOf({ text: z.string().min(1) })).min(1) })
      .optional(),
    serviceTier: z.enum(['flex', 'standard', 'priority']).optional(),
    generationConfig: z
      .strictObject({
        maxOutputTokens: count.optional(),
        temperature: z.number().min(0).max(2).optional(),
        topP: z.number().min(0).max(1).optional(),
        presencePenalty: z.number().min(-2).lt(2).optional(),
        frequencyPenalty: z.number().min(-2).lt(2).optional(),
        responseLogprobs: z.boolean().optional(),
        logprobs: z.int().min(0).max(20).optional(),
        responseMimeType: z.enum(['text/plain', 'application/json']).optional(),
        responseJsonSchema: json.optional(),
        thinkingConfig: z
          .strictObject({
            includeThoughts: z.boolean().optional(),
            thinkingBudget: z.int().min(-1).max(32_768).optional(),
            thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
          })
          .refine((it) => it.thinkingBudget === undefined || it.thinkingLevel === undefined, 'a budget or a level')
          .optional(),
      })
      .refine(
        (it) => it.responseJsonSchema === undefined || it.responseMimeType === 'application/json',
        'a schema of no JSON',
      )
      .refine((it) => it.logprobs === undefined || it.responseLogprobs, 'logprobs that are not asked for')
      .optional(),
    tools: z.array(tool).min(1).optional(),
    toolConfig: z
      .strictObject({
        functionCallingConfig: z
          .strictObject({
            mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
            allowedFunctionNames: z.array(name).min(1).optional(),
          })
          .refine((it) => it.allowedFunctionNames === undefined || it.mode === 'ANY', 'names without ANY')
          .optional(),
        includeServerSideToolInvocations: z.boolean().optional(),
      })
      .optional(),
    labels: z.record(z.string(), z.string()).optional(),
  })
  .refine(
    ({ tools = [], toolConfig }) =>
      toolConfig?.functionCallingConfig === undefined || tools.some((it) => 'functionDeclarations' in it),
    'a choice among no functions',
  )

export const geminiGenerateSchema: VendorSchema = {
  schema,
  models: ['gemini-3-pro-preview', 'gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-2.0-flash', 'gemma-3-27b-it'],
  turnsOf: ({ contents }) =>
    contents.map(
      ({ role, parts }: Loose): SchemaTurn => ({
        role: role === 'model' ? 'assistant' : 'user',
        calls: parts.flatMap(({ functionCall: it }: Loose) => (it ? [it.id ?? it.name] : [])),
        results: parts.flatMap(({ functionResponse: it }: Loose) => (it ? [it.id ?? it.name] : [])),
      }),
    ),
  order: { alternates: true, ids: null, resultsTogether: true },
}
