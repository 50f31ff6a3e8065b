import type { BodyShape } from '../../body-contract.ts'
import { placedObjects, sentFunction } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of `generateContent`. */
export const generateBody: BodyShape = {
  prompt: [['systemInstruction', 'parts'], ['tools'], ['contents']],
  settings: {
    instructions: 'systemInstruction.parts[0].text',
    max_output_tokens: 'generationConfig.maxOutputTokens',
    temperature: 'generationConfig.temperature',
    top_p: 'generationConfig.topP',
    presence_penalty: 'generationConfig.presencePenalty',
    frequency_penalty: 'generationConfig.frequencyPenalty',
    stop: 'generationConfig.stopSequences',
    tool_choice: 'toolConfig.functionCallingConfig',
    'reasoning.effort': [
      'generationConfig.thinkingConfig.thinkingLevel',
      'generationConfig.thinkingConfig.thinkingBudget',
      'generationConfig.thinkingConfig',
    ],
    'text.format': [
      'generationConfig.responseMimeType',
      'generationConfig.responseJsonSchema',
      'generationConfig.responseSchema',
    ],
    'text.format.schema': 'generationConfig.responseJsonSchema',
    top_logprobs: 'generationConfig.logprobs',
    include: 'generationConfig.responseLogprobs',
    service_tier: 'serviceTier',
  },
  functions: (body) =>
    placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
      placedObjects(tool.functionDeclarations, `${path}.functionDeclarations`).map(([inner, own]) =>
        sentFunction(inner, own, 'parametersJsonSchema'),
      ),
    ),
  names: 'google',
  callIds: 'optional',
}
