import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import { type ClientRequests, clientCases, type Fields } from '../../request-cases.ts'
import { call, code, reasoningPart, result, signed, text } from '../answers.ts'
import { FOREIGN_ENVELOPE, HI, HOME, model, sealForeign, user } from '../clients.ts'

const said = (text: string, role = 'user') => ({ type: 'message', role, content: [{ type: 'input_text', text }] })
/** A body with these members of `generationConfig`. */
const config = (generationConfig: Fields) => ({ generationConfig })
// The REST API also accepts the field names of the protocol buffers.
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const field = (name: string, value: unknown, request: Fields) => [
  `${name} with the value ${JSON.stringify(value)}`,
  [
    { body: config({ [name]: value }), request },
    { body: { generation_config: { [snake(name)]: value } }, request },
  ],
]
const MANY = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))
const thinks = (thinkingConfig: Fields, reasoning?: Fields) => ({
  name: thinkingConfig,
  body: config({ thinkingConfig }),
  request: { reasoning },
})
const JSON_TYPE = { responseMimeType: 'application/json' }
const format = (name: string, schema: Fields) => ({ text: { format: { type: 'json_schema', name, schema } } })
const OPENAPI = {
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
}
const READ_OPENAPI = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: ['string', 'null'], enum: ['A', 'B', null] },
    nullable: { type: 'number', format: 'double', minimum: 1 },
    list: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'integer', examples: [3] } },
    any: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
    open: { type: 'object', additionalProperties: { type: 'string' } },
    ref: { $ref: '#/$defs/x' },
    none: { description: 'Anything' },
  },
  $defs: { x: { type: 'string' } },
}
const CITY = { type: 'object', title: 'City', properties: { a: { type: 'string' } }, $defs: {} }

const declared = { name: 'get_weather', description: 'Weather', parameters: { type: 'OBJECT', properties: {} } }
const WEATHER = { type: 'function', ...declared, parameters: { type: 'object', properties: {} } }
const fn = (name: string, more: Fields = {}) => ({ type: 'function', name, ...more })
const declaring = (...functionDeclarations: readonly Fields[]) => ({ tools: [{ functionDeclarations }] })
const chosen = (functionCallingConfig: Fields, tool_choice?: unknown, losses = '') => ({
  name: functionCallingConfig,
  body: { ...declaring(declared, { name: 'now' }), toolConfig: { functionCallingConfig } },
  request: { tools: [WEATHER, fn('now')], tool_choice },
  losses,
})
const calling = (functionCallingConfig: Fields) => ({ toolConfig: { functionCallingConfig } })
const allowed = (mode: string, ...names: readonly string[]) => ({
  type: 'allowed_tools',
  mode,
  tools: names.map((name) => fn(name)),
})
const WEB = { type: 'web_search' }
const DEFS = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }

const data = 'QUJD'
const part = (sent: Fields, read: Fields) => ({
  name: sent,
  body: { contents: [user(sent)] },
  request: { input: [{ type: 'message', role: 'user', content: [read] }] },
})
const FILE = 'https://x.example/v1beta/files/1'
const VIDEO = { inlineData: { mimeType: 'video/mp4', data }, videoMetadata: { fps: 1 } }
/** A value inside of as many others. */
const nested = (depth: number, around: (inner: object) => object): object =>
  Array.from({ length: depth }).reduce<object>(around, {})
const lost = (body: Fields, losses = '') => ({ body, losses })
const schema = { type: 'object' }

const TEXT = { text: 'x' }
const DATA = { inlineData: { mimeType: 'image/png', data: 'aa' } }
const CALL = { functionCall: { name: 'f' } }
const ANSWER = { functionResponse: { name: 'f', response: {} } }
const FAR = { fileData: { fileUri: 'x' } }
const doubled = (contents: readonly unknown[], place: string) => ({
  name: contents,
  body: { contents },
  error: [place, place] as const,
})
const wrong = (body: Fields, place: string, words: string) => ({ body, error: [place, words] as const })
const turn = (...parts: readonly unknown[]) => ({ contents: [HI, model(...parts)] })
const AT = 'contents[1].parts[0]'

const calls = (id: string, name = 'f') => ({ functionCall: { id, name } })
const answersTo = (name: string, more: Fields = {}, output: Fields = {}) => ({
  functionResponse: { name, response: output, ...more },
})
const item = (call_id: string, name = 'f', args = '{}') => ({ type: 'function_call', call_id, name, arguments: args })
const outputOf = (call_id: string, output: unknown = '{}') => ({ type: 'function_call_output', call_id, output })
const replied = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
const reasoned = (encrypted_content: string | null, ...summary: readonly string[]) => ({
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content,
})
/** A conversation after "Hi", and the items that the hub reads from it. */
const follows = (contents: readonly unknown[], items: readonly unknown[], losses = '') => ({
  body: { contents: [HI, ...contents] },
  request: { input: [said('Hi'), ...items] },
  losses,
})
const ENVELOPE = sealForeign({ type: 'thinking', thinking: 'hm', signature: 's' })
const sealedOn = (part: Fields) => ({ ...part, ...signed(ENVELOPE) })
const [ONE, TWO] = [answersTo('f', { id: 'a' }, { output: '1' }), answersTo('f', { id: 'b' }, { output: '2' })]
const REPEATED = [1, 3, 4].map((at) => `contents[2].parts[${at}].functionResponse`).join(', ')
const AB = model(calls('a'), calls('b'))

// biome-ignore format: a row a case
const groups = [
clientCases('a request of a Gemini client', '', {
  'takes model and stream from the path': [
    { request: {} },
    { body: { model: 'models/x' }, context: { model: null, stream: null }, request: { model: 'x', stream: false } },
  ],
  'returns stop sequences apart, because Responses has no field for them': { request: {}, stop: ['END'],
    body: config({ stopSequences: ['END', ''] }) },
  'decodes log probabilities only if they are requested': [
    { body: config({ responseLogprobs: true, logprobs: 3 }),
      request: { include: ['message.output_text.logprobs'], top_logprobs: 3 } },
    { body: config({ logprobs: 3 }), request: {} },
  ],
  'decodes instructions with a role, and as a single part': [
    { body: { systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] } },
      request: { instructions: 'Be brief.\n\nBe kind.' } },
    { body: { system_instruction: { parts: { text: 'Be brief.' } } }, request: { instructions: 'Be brief.' } },
    { body: { systemInstruction: { parts: [{ inlineData: {} }] } }, losses: 'systemInstruction.parts[0]' },
  ],
  'decodes labels to metadata within the limits of metadata': [
    { body: { labels: { team: 'a' } }, request: { metadata: { team: 'a' } } },
    lost({ labels: MANY }, 'labels'), lost({ labels: { long: 'x'.repeat(513) } }, 'labels'),
  ],
  'decodes the service tier of Google': [
    { body: { serviceTier: 'flex' }, request: { service_tier: 'flex' } },
    { body: { service_tier: 'STANDARD' }, request: { service_tier: 'default' } },
    { body: { serviceTier: 'unspecified' }, request: {} },
  ],
}),
clientCases('a request of a Gemini client', 'decodes the field ', Object.fromEntries([
  field('maxOutputTokens', 64, { max_output_tokens: 64 }), field('temperature', 0.5, { temperature: 0.5 }),
  field('topP', 0.9, { top_p: 0.9 }), field('presencePenalty', -1, { presence_penalty: -1 }),
  field('frequencyPenalty', 1, { frequency_penalty: 1 }), field('responseMimeType', 'text/plain', {}),
  field('responseMimeType', 'application/json', { text: { format: { type: 'json_object' } } }),
  field('responseModalities', ['TEXT'], {}), field('candidateCount', 1, {}), field('stopSequences', [], {}),
  field('temperature', null, {}),
])),
clientCases('thinkingConfig of a Gemini request', 'is decoded without a loss from ', [
  thinks({ thinkingLevel: 'LOW' }, { effort: 'low' }),
  thinks({ thinkingLevel: 'high', includeThoughts: true }, { effort: 'high', summary: 'auto' }),
  thinks({ thinkingBudget: 0 }, { effort: 'none' }), thinks({ thinkingBudget: 8192 }, { effort: 'medium' }),
  thinks({ thinkingBudget: 24_576 }, { effort: 'xhigh' }), thinks({ thinkingBudget: -1 }),
  thinks({ thinkingLevel: 'MINIMAL', thinkingBudget: 8192 }, { effort: 'minimal' }),
  ...['MEDIUM', 'XHIGH', 'MAX'].map((level) => thinks({ thinkingLevel: level }, { effort: level.toLowerCase() })),
  thinks({ includeThoughts: true }, { summary: 'auto' }), thinks({ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }),
]),
clientCases('thinkingConfig of a Gemini request', '', {
  'is mapped to the higher effort with a loss if its budget is between two efforts': [
    { ...thinks({ thinkingBudget: 5000 }, { effort: 'medium' }),
      losses: 'generationConfig.thinkingConfig.thinkingBudget mapped' },
    { ...thinks({ thinkingBudget: 99_999 }, { effort: 'max' }),
      losses: 'generationConfig.thinkingConfig.thinkingBudget mapped' },
  ],
  'excludes reasoning from the answer if includeThoughts is false': { settings: { reasoning: false },
    ...thinks({ includeThoughts: false }) },
}),
clientCases('response schemas of a Gemini request', '', {
  'are unchanged if they are JSON Schema': { body: config({ ...JSON_TYPE, responseJsonSchema: CITY }),
    request: format('City', CITY) },
  'are converted to JSON Schema from the subset of OpenAPI': {
    body: config({ ...JSON_TYPE, responseSchema: OPENAPI }), request: format('response', READ_OPENAPI),
    losses: 'generationConfig.responseSchema.propertyOrdering' },
  'are rejected if they are nested too deep': { error: 'generationConfig.responseSchema',
    body: config({ responseSchema: nested(5000, (items) => ({ type: 'ARRAY', items })) }) },
  'are dropped with a loss for the type text/x.enum': { request: {},
    body: config({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } }),
    losses: 'generationConfig.responseMimeType, generationConfig.responseSchema' },
}),
clientCases('tools of a Gemini request', '', {
  'may declare functions in one list or in several': [
    { body: declaring(declared, { name: 'now' }), request: { tools: [WEATHER, fn('now')] } },
    { body: { tools: [{ function_declarations: [declared] }, { functionDeclarations: { name: 'now' } }] },
      request: { tools: [WEATHER, fn('now')] } },
  ],
  'keep parameters in JSON Schema unchanged': { body: declaring({ name: 'f', parametersJsonSchema: DEFS }),
    request: { tools: [fn('f', { parameters: DEFS })] } },
  'keep hosted tools that other vendors have, too, and drop the rest with losses': {
    body: { tools: [{ googleSearch: { excludeDomains: ['x.example'] } }, { google_search_retrieval: {} },
      { codeExecution: {}, urlContext: {} }, { fileSearch: { fileSearchStoreNames: ['s'] } }] },
    request: { tools: [WEB, WEB, { type: 'code_interpreter', container: { type: 'auto' } }] },
    losses: 'tools[0].googleSearch.excludeDomains, tools[2].urlContext, tools[3].fileSearch' },
  'have no choice if there is a mode but no function': { body: calling({ mode: 'AUTO' }), request: {} },
  'record options without a counterpart as losses': {
    body: { ...declaring({ name: 'f', behavior: 'BLOCKING', response: { type: 'STRING' } }),
      toolConfig: { includeServerSideToolInvocations: true, functionCallingConfig: { mode: 'VALIDATED' } } },
    losses: 'tools[0].functionDeclarations[0].behavior, tools[0].functionDeclarations[0].response, \
toolConfig.includeServerSideToolInvocations, toolConfig.functionCallingConfig.mode mapped' },
}),
clientCases('tools of a Gemini request', 'are decoded with the mode ', [
  chosen({ mode: 'AUTO' }, 'auto'), chosen({ mode: 'none' }, 'none'), chosen({ mode: 'ANY' }, 'required'),
  chosen({ mode: 'MODE_UNSPECIFIED' }), chosen({ mode: 'ANY', allowedFunctionNames: ['now'] }, fn('now')),
  chosen({ mode: 'ANY', allowed_function_names: ['now', 'get_weather'] }, allowed('required', 'now', 'get_weather')),
  chosen({ mode: 'VALIDATED', allowedFunctionNames: ['now'] }, allowed('auto', 'now'),
    'toolConfig.functionCallingConfig.mode mapped'),
]),
clientCases('parts of the user in a Gemini request', 'are decoded to parts of Responses: ', [
  part({ inlineData: { mimeType: 'image/png', data } },
    { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }),
  part({ inline_data: { mime_type: 'audio/mpeg', data } },
    { type: 'input_audio', input_audio: { data, format: 'mp3' } }),
  part({ inlineData: { mimeType: 'audio/wav', data } }, { type: 'input_audio', input_audio: { data, format: 'wav' } }),
  part({ inlineData: { mimeType: 'application/pdf', data, displayName: 'a.pdf' } },
    { type: 'input_file', file_data: 'data:application/pdf;base64,QUJD', filename: 'a.pdf' }),
  part({ inlineData: { mimeType: 'video/mp4', data } },
    { type: 'input_file', file_data: 'data:video/mp4;base64,QUJD', filename: 'file.mp4' }),
  part({ fileData: { mimeType: 'image/jpeg', fileUri: 'https://x.example/a' } },
    { type: 'input_image', image_url: 'https://x.example/a' }),
  part({ file_data: { file_uri: FILE, mime_type: 'application/pdf' } },
    { type: 'input_file', file_url: FILE, filename: 'file.pdf' }),
  part({ fileData: { fileUri: 'https://x.example/watch' } },
    { type: 'input_file', file_url: 'https://x.example/watch' }),
]),
clientCases('parts of the user in a Gemini request', '', {
  'record video metadata and misplaced code as losses': [
    lost({ contents: [user(VIDEO)] }, 'contents[0].parts[0].videoMetadata'),
    lost({ contents: [HI, user({ executableCode: { code: '1' } })] }, AT),
  ],
  'may have no role, a role in capitals, or the role system': {
    body: { contents: [{ parts: { text: 'a' } }, { role: 'USER', parts: [{ text: 'b' }] },
      { role: 'system', parts: [{ text: 'c' }] }] },
    request: { input: [said('a'), said('b'), said('c', 'system')] } },
}),
clientCases('', '', {
  'records fields of a Gemini request without a counterpart as losses': {
    body: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }], modelArmorConfig: {},
      store: null, ...config({ topK: 40, seed: 1, responseModalities: ['TEXT', 'IMAGE'], thinkingConfig: { x: 1 } }) },
    losses: 'safetySettings, modelArmorConfig, generationConfig.topK, generationConfig.seed, \
generationConfig.responseModalities, generationConfig.thinkingConfig.x' },
  'records no loss for fields of a Gemini request that are off or empty': [
    { body: { cachedContent: '', ...config({ audioTimestamp: false, enable_affective_dialog: false,
      enableEnhancedCivicAnswers: false }) }, request: {} },
    lost(config({ audioTimestamp: true, enableAffectiveDialog: true }),
      'generationConfig.audioTimestamp, generationConfig.enableAffectiveDialog'),
  ],
}),
clientCases('a field with two values in a Gemini request', 'keeps one value and records the other as a loss: ', {
  'in both spellings': lost({ ...config({ topP: 1, top_p: 0.5 }), generation_config: { temperature: 1 } },
    'generation_config, generationConfig.top_p'),
  'lists of functions': lost({ tools: [{ functionDeclarations: [{ name: 'f' }],
    function_declarations: [{ name: 'g' }] }] }, 'tools[0].function_declarations'),
  parameters: lost(declaring({ name: 'f', parameters: schema, parametersJsonSchema: schema }),
    'tools[0].functionDeclarations[0].parameters'),
  'the format of the answer': lost(config({ response_schema: schema, responseJsonSchema: schema }),
    'generationConfig.response_schema'),
  'neither value': { body: config({ topP: 1, top_p: null, stopSequences: ['x'], stop_sequences: [] }), stop: ['x'] },
}),
clientCases('a field with two values in a Gemini request', '', {
  'has no loss if one of the values is null': { request: { temperature: 1 },
    body: { generationConfig: null, generation_config: { temperature: 1 } } },
}),
clientCases('a part with two kinds of data in a Gemini request', 'is rejected, as Google rejects it: ', [
  doubled([user({ ...TEXT, ...DATA })], 'contents[0].parts[0].inlineData'),
  doubled([user({ text: '', inline_data: DATA.inlineData })], 'contents[0].parts[0].inline_data'),
  doubled([user({ ...TEXT, ...CALL })], 'contents[0].parts[0].functionCall'),
  doubled([user({ ...TEXT, ...FAR })], 'contents[0].parts[0].fileData'),
  doubled([HI, model(TEXT, { ...TEXT, ...CALL })], 'contents[1].parts[1].functionCall'),
  doubled([HI, model({ ...TEXT, executableCode: { code: '1' } })], `${AT}.executableCode`),
  doubled([HI, model({ executableCode: {}, codeExecutionResult: {} })], `${AT}.codeExecutionResult`),
  doubled([HI, model(CALL), user({ ...TEXT, ...ANSWER })], 'contents[2].parts[0].functionResponse'),
  doubled([HI, model(CALL), user({ functionResponse: { name: 'f', parts: [{ ...DATA, ...FAR }] } })],
    'contents[2].parts[0].functionResponse.parts[0].fileData'),
]),
clientCases('a part with two kinds of data in a Gemini request', '', {
  'is accepted if one of the kinds is null': {
    body: { contents: [user({ ...TEXT, inlineData: null, videoMetadata: null })] }, request: { input: [said('x')] } },
}),
clientCases('an invalid request of a Gemini client', 'is rejected with the path and the value of the client: ', [
  wrong({ contents: [] }, 'contents', 'not empty'),
  wrong({ contents: 5 }, 'contents', 'expected a list, got 5'),
  wrong({ contents: [3] }, 'contents[0]', 'expected an object, got 3'),
  wrong({ contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role', 'expected user or model, got "robot"'),
  wrong({ contents: [user({ text: 5 })] }, 'contents[0].parts[0].text', 'expected a string, got 5'),
  wrong({ contents: [user({ inlineData: { mimeType: 'image/png' } })] }, 'contents[0].parts[0].inlineData.data',
    'name'),
  wrong({ contents: [user(CALL)] }, 'contents[0].parts[0].functionCall', 'only in contents of the role model'),
  wrong(turn({ functionCall: { args: {} } }), `${AT}.functionCall.name`, 'expected a name'),
  wrong(turn({ functionCall: { name: 'f', args: [1] } }), `${AT}.functionCall.args`, 'expected an object'),
  wrong({ systemInstruction: 7 }, 'systemInstruction', 'expected an object'),
  wrong({ system_instruction: 7 }, 'system_instruction', 'expected an object'),
  wrong({ generation_config: { max_output_tokens: 0 } }, 'generation_config.max_output_tokens',
    'a whole number of at least 1, got 0'),
  wrong(config({ topP: '1' }), 'generationConfig.topP', 'expected a number'),
  wrong(config({ candidateCount: 2 }), 'generationConfig.candidateCount', 'one candidate'),
  wrong(config({ stopSequences: 'x' }), 'generationConfig.stopSequences', 'expected a list of strings'),
  wrong(config({ stopSequences: ['x', 5] }), 'generationConfig.stopSequences[1]', 'expected a string, got 5'),
  wrong(config({ stop_sequences: [null] }), 'generationConfig.stop_sequences[0]', 'expected a string, got null'),
  wrong(declaring({}), 'tools[0].functionDeclarations[0].name', 'expected a name'),
  wrong(declaring({ name: 'f', parameters: [] }), 'tools[0].functionDeclarations[0].parameters',
    'expected an object, got a list'),
  wrong({ ...declaring({ name: 'f' }), ...calling({ mode: 'ANY', allowedFunctionNames: ['f', 'g'] }) },
    'toolConfig.functionCallingConfig.allowedFunctionNames[1]', 'declared in tools'),
  wrong({ cachedContent: 5 }, 'cachedContent', 'expected a string'),
  wrong({ cachedContent: 'cachedContents/1' }, 'cachedContent', 'this service does not cache content'),
  wrong({ labels: { a: 1 } }, 'labels.a', 'expected a string'),
]),
clientCases('an invalid request of a Gemini client', '', {
  'is rejected if its arguments are nested too deep': { error: `${AT}.functionCall.args`,
    body: turn({ functionCall: { name: 'f', args: nested(20_000, (a) => ({ a })) } }) },
  'is rejected if it has no model': { context: { model: null, stream: null }, error: 'model' },
}),
clientCases('calls and responses in a Gemini history', '', {
  'are decoded with their ids and arguments': follows(
    [model(call('f', { a: 1 }), calls('x', 'g'))], [item('call_0', 'f', '{"a":1}'), item('x', 'g')]),
  'are matched by their ids in any order': follows([AB, user(answersTo('f', { id: 'b' }), answersTo('f', { id: 'a' }))],
    [item('a'), item('b'), outputOf('b'), outputOf('a')]),
  'are sent once if the client repeats a response, and the copy answers no other call': follows(
    [AB, user(ONE, ONE, TWO, ONE, TWO)], [item('a'), item('b'), outputOf('a', '1'), outputOf('b', '2')], REPEATED),
  'are matched by name and order if they have no ids': follows(
    [model(call('f'), call('g'), call('f')), user(answersTo('g'), answersTo('f'), answersTo('f'))],
    [item('call_0'), item('call_1', 'g'), item('call_2'), outputOf('call_1'), outputOf('call_0'), outputOf('call_2')]),
  'are matched by name despite an unknown id, and by order without a name': [
    follows([model(call('f')), user(answersTo('f', { id: 'other' }))], [item('call_0'), outputOf('call_0')]),
    follows([model(call('f')), user({ functionResponse: { response: {} } })], [item('call_0'), outputOf('call_0')]),
  ],
  'are outputs without a call if no call is left for them': follows(
    [model(call('f')), user(answersTo('f'), answersTo('f'))], [item('call_0'), outputOf('call_0'), outputOf('call_1')]),
  'may have the role function or model, and text beside the response': [
    follows([model(call('f'), call('g')), { role: 'function', parts: [answersTo('f', {}, { a: 1 })] },
      user(text('First.'), answersTo('g'), text('Then.'))],
      [item('call_0'), item('call_1', 'g'), outputOf('call_0', '{"a":1}'), said('First.'), outputOf('call_1'), said('Then.')]),
    follows([model(call('f'), answersTo('f'))], [item('call_0'), outputOf('call_0')]),
  ],
}),
clientCases('messages of the model in a Gemini history', '', {
  'are one message if they are the kept chunks of a stream': follows(
    [model(reasoningPart('h')), model(reasoningPart('m')), model(text('Hel')), model(text('lo'), text(''))],
    [reasoned(null, 'hm'), replied('Hello')]),
  'drop executed code for other vendors with a loss': follows([model(text('A'), code, result, text('B'))], [replied('AB')],
    'contents[1].parts[1], contents[1].parts[2]'),
}),
clientCases('signatures in a Gemini history', '', {
  'are dropped with a loss for other vendors': follows([model(call('f', {}, signed('s')))], [item('call_0')],
    'contents[1].parts[0].thoughtSignature'),
  'are no loss if they only skip the validation': follows(
    [model(call('f', {}, signed('skip_thought_signature_validator')))], [item('call_0')]),
}),
clientCases('an envelope of another vendor in a Gemini history', '', {
  'belongs to the reasoning before it, whichever part has it': [
    follows([model(reasoningPart('h')), model(reasoningPart('m')), model(sealedOn(call('f')))],
      [reasoned(ENVELOPE, 'hm'), item('call_0')]),
    follows([model(reasoningPart('hm')), model(sealedOn(text('A'))), model(text('B'))], [reasoned(ENVELOPE, 'hm'), replied('AB')]),
    follows([model(reasoningPart('hm')), model(sealedOn(text('')))], [reasoned(ENVELOPE, 'hm')]),
    follows([model(reasoningPart('hm')), model(sealedOn(reasoningPart('next')))],
      [reasoned(ENVELOPE, 'hm'), reasoned(null, 'next')]),
  ],
  'returns even if its reasoning does not': [
    follows([model(sealedOn(call('f')))], [reasoned(ENVELOPE), item('call_0')]),
    follows([model(text('A')), model(sealedOn(text('')))], [replied('A'), reasoned(ENVELOPE)]),
  ],
  'returns on reasoning that a client has merged into one part': follows(
    [model(sealedOn(reasoningPart('hm'))), model(text('A'))], [reasoned(ENVELOPE, 'hm'), replied('A')]),
  'stays sealed in its reasoning item if the request goes to Google': {
    ...follows([model(sealedOn(call('f')))], [reasoned(ENVELOPE), item('call_0')]), context: HOME },
}),
]

export const REQUESTS: ClientRequests = {
  wire: geminiGenerate,
  context: FOREIGN_ENVELOPE,
  base: { contents: [HI] },
  request: { model: 'acme/gemini', stream: true, input: [said('Hi')] },
  settings: {},
  groups,
}
