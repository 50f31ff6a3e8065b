import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { decodeRequest } from '../../../../src/wires/gemini-generate/client/request.ts'
import { jsonOf } from '../../../arbitraries/json.ts'
import { check } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { decoded, FOREIGN_ENVELOPE, HI, HOME, model, passedOn, refusal, user } from '../clients.ts'

const config = (generationConfig: object) => decoded({ generationConfig })
const pathsOf = ({ losses }: { losses: readonly { path: string; action: string }[] }) =>
  losses.map(({ path, action }) => `${path} ${action}`)

describe('a request of a Gemini client', () => {
  it('takes model and stream from the path', () => {
    expect(decoded({}).body).toEqual({
      model: 'acme/gemini',
      stream: true,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    })
    expect(decoded({ model: 'models/x' }, { model: null, stream: null, seal: null }).body).toMatchObject({
      model: 'x',
      stream: false,
    })
  })

  it.each([
    ['maxOutputTokens', 64, { max_output_tokens: 64 }],
    ['temperature', 0.5, { temperature: 0.5 }],
    ['topP', 0.9, { top_p: 0.9 }],
    ['presencePenalty', -1, { presence_penalty: -1 }],
    ['frequencyPenalty', 1, { frequency_penalty: 1 }],
    ['responseMimeType', 'text/plain', {}],
    ['responseMimeType', 'application/json', { text: { format: { type: 'json_object' } } }],
    ['responseModalities', ['TEXT'], {}],
    ['candidateCount', 1, {}],
    ['stopSequences', [], {}],
    ['temperature', null, {}],
  ])('decodes the field %s with the value %j', (name, value, expected) => {
    const { body, losses, stop } = config({ [name]: value })
    const { model: _, input, stream, ...rest } = body
    expect(rest).toEqual(expected)
    expect([losses, stop]).toEqual([[], null])
    // The REST API also accepts the field names of the protocol buffers.
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    expect(decoded({ generation_config: { [snake]: value } }).body).toEqual(body)
  })

  it('returns stop sequences apart, because Responses has no field for them', () => {
    expect(config({ stopSequences: ['END', ''] }).stop).toEqual(['END'])
  })

  it('decodes log probabilities only if they are requested', () => {
    expect(config({ responseLogprobs: true, logprobs: 3 }).body).toMatchObject({
      include: ['message.output_text.logprobs'],
      top_logprobs: 3,
    })
    expect(config({ logprobs: 3 }).body.top_logprobs).toBeUndefined()
  })

  it('decodes instructions with a role, and as a single part', () => {
    const parts = [{ text: 'Be brief.' }, { text: 'Be kind.' }]
    expect(decoded({ systemInstruction: { role: 'system', parts } }).body.instructions).toBe('Be brief.\n\nBe kind.')
    expect(decoded({ system_instruction: { parts: { text: 'Be brief.' } } }).body.instructions).toBe('Be brief.')
    expect(pathsOf(decoded({ systemInstruction: { parts: [{ inlineData: {} }] } }))).toEqual([
      'systemInstruction.parts[0] dropped',
    ])
  })

  it('decodes labels to metadata within the limits of metadata', () => {
    expect(decoded({ labels: { team: 'a' } }).body.metadata).toEqual({ team: 'a' })
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))
    expect(pathsOf(decoded({ labels: many }))).toEqual(['labels dropped'])
    expect(pathsOf(decoded({ labels: { long: 'x'.repeat(513) } }))).toEqual(['labels dropped'])
  })

  it('decodes the service tier of Google', () => {
    expect(decoded({ serviceTier: 'flex' }).body.service_tier).toBe('flex')
    expect(decoded({ service_tier: 'STANDARD' }).body.service_tier).toBe('default')
    expect(decoded({ serviceTier: 'unspecified' }).body.service_tier).toBeUndefined()
  })
})

describe('thinkingConfig of a Gemini request', () => {
  it.each([
    [{ thinkingLevel: 'LOW' }, { effort: 'low' }],
    [
      { thinkingLevel: 'high', includeThoughts: true },
      { effort: 'high', summary: 'auto' },
    ],
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: 8192 }, { effort: 'medium' }],
    [{ thinkingBudget: 24_576 }, { effort: 'xhigh' }],
    [{ thinkingBudget: -1 }, undefined],
    [{ thinkingLevel: 'MINIMAL', thinkingBudget: 8192 }, { effort: 'minimal' }],
    [{ includeThoughts: true }, { summary: 'auto' }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, undefined],
  ])('is decoded without a loss from %j', (thinkingConfig, reasoning) => {
    const { body, losses, settings } = config({ thinkingConfig })
    expect([body.reasoning, losses, settings]).toEqual([reasoning, [], {}])
  })

  it('is mapped to the higher effort with a loss if its budget is between two efforts', () => {
    const found = config({ thinkingConfig: { thinkingBudget: 5000 } })
    expect(found.body.reasoning).toEqual({ effort: 'medium' })
    expect(pathsOf(found)).toEqual(['generationConfig.thinkingConfig.thinkingBudget mapped'])
    expect(config({ thinkingConfig: { thinkingBudget: 99_999 } }).body.reasoning).toEqual({ effort: 'max' })
  })

  it('excludes reasoning from the answer if includeThoughts is false', () => {
    expect(config({ thinkingConfig: { includeThoughts: false } }).settings).toEqual({ reasoning: false })
  })
})

describe('response schemas of a Gemini request', () => {
  const schemaOf = (responseSchema: object) =>
    config({ responseMimeType: 'application/json', responseSchema }).body.text.format.schema

  it('are unchanged if they are JSON Schema', () => {
    const schema = { type: 'object', title: 'City', properties: { a: { type: 'STRING' } }, $defs: {} }
    expect(config({ responseMimeType: 'application/json', responseJsonSchema: schema }).body.text).toEqual({
      format: { type: 'json_schema', name: 'City', schema },
    })
  })

  it('are converted to JSON Schema from the subset of OpenAPI', () => {
    expect(
      schemaOf({
        type: 'OBJECT',
        propertyOrdering: ['type', 'list'],
        required: ['type'],
        properties: {
          type: { type: 'STRING', format: 'enum', enum: ['A', 'B'], nullable: true },
          nullable: { type: 'NUMBER', format: 'double', minimum: 1 },
          list: { type: 'ARRAY', minItems: '1', max_items: '5', items: { type: 'INTEGER', example: 3 } },
          any: { any_of: [{ type: 'STRING' }, { type: 'BOOLEAN' }], nullable: true },
          open: { type: 'OBJECT', additionalProperties: { type: 'STRING' } },
          ref: { ref: '#/defs/x' },
          none: { type: 'TYPE_UNSPECIFIED', description: 'Anything' },
        },
        defs: { x: { type: 'STRING' } },
      }),
    ).toEqual({
      type: 'object',
      required: ['type'],
      properties: {
        type: { type: ['string', 'null'], enum: ['A', 'B', null] },
        nullable: { type: 'number', format: 'double', minimum: 1 },
        list: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'integer', examples: [3] } },
        any: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
        open: { type: 'object', additionalProperties: { type: 'string' } },
        ref: { $ref: '#/defs/x' },
        none: { description: 'Anything' },
      },
      $defs: { x: { type: 'string' } },
    })
  })

  it('may have properties with the names of schema keywords', () => {
    const properties = { my_name: { type: 'STRING' }, any_of: { type: 'STRING' }, __proto__x: { type: 'STRING' } }
    expect(Object.keys(schemaOf({ type: 'OBJECT', properties }).properties)).toEqual(Object.keys(properties))
  })

  it('are rejected if they are nested too deep', () => {
    const deep = Array.from({ length: 5000 }).reduce<object>((items) => ({ type: 'ARRAY', items }), {})
    expect(refusal({ generationConfig: { responseSchema: deep } })).toMatchObject({
      param: 'generationConfig.responseSchema',
    })
  })

  it('are dropped with a loss for the type text/x.enum', () => {
    const found = config({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } })
    expect(found.body.text).toBeUndefined()
    expect(pathsOf(found)).toEqual([
      'generationConfig.responseMimeType dropped',
      'generationConfig.responseSchema dropped',
    ])
  })
})

describe('tools of a Gemini request', () => {
  const declared = { name: 'get_weather', description: 'Weather', parameters: { type: 'OBJECT', properties: {} } }
  const tools = [{ functionDeclarations: [declared, { name: 'now' }] }]
  const choiceOf = (functionCallingConfig: object) =>
    decoded({ tools, toolConfig: { functionCallingConfig } }).body.tool_choice

  it('may declare functions in one list or in several', () => {
    const functions = [
      {
        type: 'function',
        name: 'get_weather',
        description: 'Weather',
        parameters: { type: 'object', properties: {} },
      },
      { type: 'function', name: 'now' },
    ]
    expect(decoded({ tools }).body.tools).toEqual(functions)
    const apart = [{ function_declarations: [declared] }, { functionDeclarations: { name: 'now' } }]
    expect(decoded({ tools: apart }).body.tools).toEqual(functions)
  })

  it('keep parameters in JSON Schema unchanged', () => {
    const parametersJsonSchema = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }
    expect(
      decoded({ tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }] }).body.tools[0].parameters,
    ).toEqual(parametersJsonSchema)
  })

  it('keep hosted tools that other vendors have, too, and drop the rest with losses', () => {
    const found = decoded({
      tools: [
        { googleSearch: { excludeDomains: ['x.example'] } },
        { google_search_retrieval: {} },
        { codeExecution: {}, urlContext: {} },
        { fileSearch: { fileSearchStoreNames: ['s'] } },
      ],
    })
    expect(found.body.tools).toEqual([
      { type: 'web_search' },
      { type: 'web_search' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ])
    expect(pathsOf(found)).toEqual([
      'tools[0].googleSearch.excludeDomains dropped',
      'tools[2].urlContext dropped',
      'tools[3].fileSearch dropped',
    ])
  })

  it.each([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'none' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'MODE_UNSPECIFIED' }, undefined],
    [
      { mode: 'ANY', allowedFunctionNames: ['now'] },
      { type: 'function', name: 'now' },
    ],
    [
      { mode: 'ANY', allowed_function_names: ['now', 'get_weather'] },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'now' },
          { type: 'function', name: 'get_weather' },
        ],
      },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['now'] },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'now' }] },
    ],
  ])('are decoded with the mode %j', (calling, expected) => {
    expect(choiceOf(calling)).toEqual(expected)
  })

  it('have no choice if there is a mode but no function', () => {
    expect(decoded({ toolConfig: { functionCallingConfig: { mode: 'AUTO' } } }).body.tool_choice).toBeUndefined()
  })

  it('record options without a counterpart as losses', () => {
    const found = decoded({
      tools: [{ functionDeclarations: [{ name: 'f', behavior: 'BLOCKING', response: { type: 'STRING' } }] }],
      toolConfig: { includeServerSideToolInvocations: true, functionCallingConfig: { mode: 'VALIDATED' } },
    })
    expect(pathsOf(found)).toEqual([
      'tools[0].functionDeclarations[0].behavior dropped',
      'tools[0].functionDeclarations[0].response dropped',
      'toolConfig.includeServerSideToolInvocations dropped',
      'toolConfig.functionCallingConfig.mode mapped',
    ])
  })
})

describe('parts of the user in a Gemini request', () => {
  const partOf = (part: object) => decoded({ contents: [user(part)] }).body.input[0].content[0]
  const data = 'QUJD'

  it.each([
    [{ inlineData: { mimeType: 'image/png', data } }, { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }],
    [{ inline_data: { mime_type: 'audio/mpeg', data } }, { type: 'input_audio', input_audio: { data, format: 'mp3' } }],
    [{ inlineData: { mimeType: 'audio/wav', data } }, { type: 'input_audio', input_audio: { data, format: 'wav' } }],
    [
      { inlineData: { mimeType: 'application/pdf', data, displayName: 'a.pdf' } },
      { type: 'input_file', file_data: 'data:application/pdf;base64,QUJD', filename: 'a.pdf' },
    ],
    [
      { inlineData: { mimeType: 'video/mp4', data } },
      { type: 'input_file', file_data: 'data:video/mp4;base64,QUJD', filename: 'file.mp4' },
    ],
    [
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://x.example/a' } },
      { type: 'input_image', image_url: 'https://x.example/a' },
    ],
    [
      { file_data: { file_uri: 'https://x.example/v1beta/files/1', mime_type: 'application/pdf' } },
      { type: 'input_file', file_url: 'https://x.example/v1beta/files/1', filename: 'file.pdf' },
    ],
    [{ fileData: { fileUri: 'https://x.example/watch' } }, { type: 'input_file', file_url: 'https://x.example/watch' }],
  ])('are decoded to parts of Responses: %j', (part, expected) => {
    expect(partOf(part)).toEqual(expected)
  })

  it('return to Google with their type, which its own URLs do not contain', () => {
    const parts = [{ fileData: { mimeType: 'application/pdf', fileUri: 'https://x.example/v1beta/files/1' } }]
    expect(passedOn([user(...parts)])[0].parts).toEqual(parts)
  })

  it('record video metadata and misplaced code as losses', () => {
    const part = { inlineData: { mimeType: 'video/mp4', data }, videoMetadata: { fps: 1 } }
    expect(pathsOf(decoded({ contents: [user(part)] }))).toEqual(['contents[0].parts[0].videoMetadata dropped'])
    expect(pathsOf(decoded({ contents: [HI, user({ executableCode: { code: '1' } })] }))).toEqual([
      'contents[1].parts[0] dropped',
    ])
  })

  it('may have no role, a role in capitals, or the role system', () => {
    const roles = (contents: readonly object[]) => decoded({ contents }).body.input.map((it: Loose) => it.role)
    expect(
      roles([
        { parts: { text: 'a' } },
        { role: 'USER', parts: [{ text: 'b' }] },
        { role: 'system', parts: [{ text: 'c' }] },
      ]),
    ).toEqual(['user', 'user', 'system'])
  })
})

it('records fields of a Gemini request without a counterpart as losses', () => {
  const found = decoded({
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    modelArmorConfig: {},
    store: null,
    generationConfig: { topK: 40, seed: 1, responseModalities: ['TEXT', 'IMAGE'], thinkingConfig: { x: 1 } },
  })
  expect(pathsOf(found).toSorted()).toEqual([
    'generationConfig.responseModalities dropped',
    'generationConfig.seed dropped',
    'generationConfig.thinkingConfig.x dropped',
    'generationConfig.topK dropped',
    'modelArmorConfig dropped',
    'safetySettings dropped',
  ])
})

describe('a field with two values in a Gemini request', () => {
  const schema = { type: 'object' }
  it.each<[string, object, readonly string[]]>([
    [
      'in both spellings',
      { generationConfig: { topP: 1, top_p: 0.5 }, generation_config: { temperature: 1 } },
      ['generation_config', 'generationConfig.top_p'],
    ],
    [
      'lists of functions',
      { tools: [{ functionDeclarations: [{ name: 'f' }], function_declarations: [{ name: 'g' }] }] },
      ['tools[0].function_declarations'],
    ],
    [
      'parameters',
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: schema, parametersJsonSchema: schema }] }] },
      ['tools[0].functionDeclarations[0].parameters'],
    ],
    [
      'the format of the answer',
      { generationConfig: { response_schema: schema, responseJsonSchema: schema } },
      ['generationConfig.response_schema'],
    ],
    ['neither value', { generationConfig: { topP: 1, top_p: null, stopSequences: ['x'], stop_sequences: [] } }, []],
  ])('keeps one value and records the other as a loss: %s', (_, fields, places) => {
    expect(pathsOf(decoded(fields))).toEqual(places.map((place) => `${place} dropped`))
  })

  it('has no loss if one of the values is null', () => {
    const found = decoded({ generationConfig: null, generation_config: { temperature: 1 } })
    expect([found.body.temperature, found.losses]).toEqual([1, []])
  })
})

it('records no loss for fields of a Gemini request that are off or empty', () => {
  const off = { audioTimestamp: false, enable_affective_dialog: false, enableEnhancedCivicAnswers: false }
  expect(decoded({ cachedContent: '', generationConfig: off }).losses).toEqual([])
  expect(pathsOf(config({ audioTimestamp: true, enableAffectiveDialog: true }))).toEqual([
    'generationConfig.audioTimestamp dropped',
    'generationConfig.enableAffectiveDialog dropped',
  ])
})

describe('a part with two kinds of data in a Gemini request', () => {
  const text = { text: 'x' }
  const data = { inlineData: { mimeType: 'image/png', data: 'aa' } }
  const call = { functionCall: { name: 'f' } }
  const answered = { functionResponse: { name: 'f', response: {} } }
  it.each<[readonly object[], string]>([
    [[user({ ...text, ...data })], 'contents[0].parts[0].inlineData'],
    [[user({ text: '', inline_data: data.inlineData })], 'contents[0].parts[0].inline_data'],
    [[user({ ...text, ...call })], 'contents[0].parts[0].functionCall'],
    [[user({ ...text, fileData: { fileUri: 'x' } })], 'contents[0].parts[0].fileData'],
    [[HI, model(text, { ...text, ...call })], 'contents[1].parts[1].functionCall'],
    [[HI, model({ ...text, executableCode: { code: '1' } })], 'contents[1].parts[0].executableCode'],
    [[HI, model({ executableCode: {}, codeExecutionResult: {} })], 'contents[1].parts[0].codeExecutionResult'],
    [[HI, model(call), user({ ...text, ...answered })], 'contents[2].parts[0].functionResponse'],
    [
      [HI, model(call), user({ functionResponse: { name: 'f', parts: [{ ...data, fileData: { fileUri: 'x' } }] } })],
      'contents[2].parts[0].functionResponse.parts[0].fileData',
    ],
  ])('is rejected, as Google rejects it: %j', (contents, param) => {
    expect(refusal({ contents })).toMatchObject({ status: 400, param, message: expect.stringContaining(param) })
  })

  it('is accepted if one of the kinds is null', () => {
    expect(decoded({ contents: [user({ ...text, inlineData: null, videoMetadata: null })] }).losses).toEqual([])
  })
})

describe('an invalid request of a Gemini client', () => {
  it.each([
    [{ contents: [] }, 'contents', 'not empty'],
    [{ contents: 'Hi' }, 'contents', 'expected a list, got "Hi"'],
    [{ contents: [3] }, 'contents[0]', 'expected an object, got 3'],
    [{ contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role', 'expected user or model, got "robot"'],
    [{ contents: [user({ text: 5 })] }, 'contents[0].parts[0].text', 'expected a string, got 5'],
    [{ contents: [user({ inlineData: { mimeType: 'image/png' } })] }, 'contents[0].parts[0].inlineData.data', 'name'],
    [
      { contents: [user({ functionCall: { name: 'f' } })] },
      'contents[0].parts[0].functionCall',
      'only in contents of the role model',
    ],
    [
      { contents: [HI, model({ functionCall: { args: {} } })] },
      'contents[1].parts[0].functionCall.name',
      'expected a name',
    ],
    [
      { contents: [HI, model({ functionCall: { name: 'f', args: '{}' } })] },
      'contents[1].parts[0].functionCall.args',
      'expected an object',
    ],
    [
      { contents: [HI, user({ functionResponse: { name: 'f', response: {} } })] },
      'contents[1].parts[0].functionResponse',
      'an earlier call that has no response yet',
    ],
    [
      { contents: [HI, model({ functionCall: { name: 'f' } }), user({ functionResponse: { name: 'g' } })] },
      'contents[2].parts[0].functionResponse',
      'an earlier call that has no response yet',
    ],
    [{ systemInstruction: 'x' }, 'systemInstruction', 'expected an object'],
    [{ system_instruction: 'x' }, 'system_instruction', 'expected an object'],
    [
      { generation_config: { max_output_tokens: 0 } },
      'generation_config.max_output_tokens',
      'a whole number of at least 1, got 0',
    ],
    [{ generationConfig: { topP: '1' } }, 'generationConfig.topP', 'expected a number'],
    [{ generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount', 'one candidate'],
    [{ generationConfig: { stopSequences: 'x' } }, 'generationConfig.stopSequences', 'expected a list of strings'],
    [
      { generationConfig: { stopSequences: ['x', 5] } },
      'generationConfig.stopSequences[1]',
      'expected a string, got 5',
    ],
    [
      { generationConfig: { stop_sequences: [null] } },
      'generationConfig.stop_sequences[0]',
      'expected a string, got null',
    ],
    [{ tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name', 'expected a name'],
    [
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: [] }] }] },
      'tools[0].functionDeclarations[0].parameters',
      'expected an object, got a list',
    ],
    [
      {
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } },
      },
      'toolConfig.functionCallingConfig.allowedFunctionNames[1]',
      'declared in tools',
    ],
    [{ cachedContent: 5 }, 'cachedContent', 'expected a string'],
    [{ cachedContent: 'cachedContents/1' }, 'cachedContent', 'this service does not cache content'],
    [{ labels: { a: 1 } }, 'labels.a', 'expected a string'],
  ])('is rejected with the path and the value of the client: %j', (fields, param, words) => {
    const error = refusal(fields)
    expect(error).toMatchObject({ party: 'client', code: 'invalid_prompt', status: 400, param })
    expect(error.message).toContain(param)
    expect(error.message).toContain(words)
  })

  it('is rejected if its arguments are nested too deep', () => {
    const args = Array.from({ length: 20_000 }).reduce<object>((a) => ({ a }), {})
    expect(refusal({ contents: [HI, model({ functionCall: { name: 'f', args } })] })).toMatchObject({
      param: 'contents[1].parts[0].functionCall.args',
    })
  })

  it('is rejected if it has no model', () => {
    expect(refusal({}, { model: null, stream: null, seal: null })).toMatchObject({ param: 'model' })
  })
})

// biome-ignore format: one line, as they are read
const NAMES = [
  'contents', 'role', 'parts', 'text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'name', 'args', 'id',
  'response', 'inlineData', 'fileData', 'mimeType', 'data', 'fileUri', 'executableCode', 'toolCall', 'tools', 'toolConfig',
  'functionDeclarations', 'parameters', 'parametersJsonSchema', 'googleSearch', 'functionCallingConfig', 'mode', 'type',
  'allowedFunctionNames', 'generationConfig', 'temperature', 'stopSequences', 'responseSchema', 'responseMimeType', 'items',
  'properties', 'nullable', 'thinkingConfig', 'thinkingBudget', 'labels', 'system_instruction', 'generation_config', 'anyOf',
] as const

describe('a random request of a Gemini client', () => {
  const anyJson = jsonOf(NAMES, ['user', 'model', 'STRING', 'OBJECT', 'ANY', 'mr1.x', 'application/json', 'image/png'])
  const fieldsOf = (names: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...names), anyJson, { maxKeys: 4, noNullPrototype: true })
  const part = fieldsOf([
    'text',
    'thought',
    'thoughtSignature',
    'functionCall',
    'functionResponse',
    'inlineData',
    'toolCall',
  ])
  const content = fc.record({
    role: fc.constantFrom('user', 'model', 'function'),
    parts: fc.array(part, { maxLength: 4 }),
  })
  const request = fc.oneof(
    fieldsOf(NAMES),
    fc.record({ contents: fc.array(content, { minLength: 1, maxLength: 4 }), generationConfig: fieldsOf(NAMES) }),
    fc.record({
      contents: fc.constant([HI]),
      tools: fc.array(fieldsOf(NAMES), { maxLength: 3 }),
      toolConfig: fieldsOf(NAMES),
    }),
  )

  it('never throws and is decoded to a valid request or to an error of the client', () => {
    check(
      fc.property(request, fc.constantFrom(HOME, FOREIGN_ENVELOPE), (body, asking) => {
        const result = runSteps(decodeRequest(body as unknown as JsonObject, asking))
        if (result.ok) {
          const validated = validateRequest(result.body)
          expect(validated.ok ? '' : validated.error.message).toBe('')
        } else expect(result.error).toMatchObject({ party: 'client', param: expect.any(String) })
      }),
      2000,
    )
  })
})
