import type { JsonObject } from '../../src/protocol/json.ts'

/** Valid requests of each client API that together contain every kind of object, and cause no loss. */

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }
const PNG = 'data:image/png;base64,iVBORw0KGgo='

export const CHATS: readonly JsonObject[] = [
  {
    model: 'acme/m',
    stream: true,
    n: 1,
    store: false,
    user: 'u',
    metadata: { a: 'b' },
    max_tokens: 9,
    temperature: 0.5,
    logprobs: true,
    top_logprobs: 2,
    modalities: ['text'],
    stop: ['.'],
    stream_options: { include_usage: true, include_obfuscation: false },
    usage: { include: true },
    reasoning: { effort: 'low', summary: 'auto', exclude: false },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', description: 'd', schema: SCHEMA, strict: true },
    },
    tools: [
      { type: 'function', function: { name: 'look', description: 'd', parameters: SCHEMA, strict: true } },
      { type: 'custom', custom: { name: 'grep', description: 'd', format: { type: 'text' } } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: [
          { type: 'function', function: { name: 'look' } },
          { type: 'custom', custom: { name: 'grep' } },
        ],
      },
    },
    messages: [
      { role: 'system', content: 'Rules' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: PNG, detail: 'high' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'file', file: { file_data: 'data:,x', filename: 'x.txt' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'refusal', refusal: 'No.' },
        ],
        refusal: null,
        annotations: [],
        audio: null,
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0, format: 'unknown' }],
        tool_calls: [
          { id: 'c1', type: 'function', index: 0, function: { name: 'look', arguments: '{}' } },
          { id: 'c2', type: 'custom', custom: { name: 'grep', input: 'x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'look', content: [{ type: 'text', text: 'found' }] },
      { role: 'tool', tool_call_id: 'c2', content: 'noted' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] },
    ],
  },
  {
    model: 'acme/m',
    reasoning: { enabled: true },
    response_format: { type: 'json_object' },
    tools: [{ type: 'function', function: { name: 'look' } }],
    tool_choice: { type: 'function', function: { name: 'look' } },
    messages: [{ role: 'user', content: 'Hi, as JSON' }],
  },
  {
    model: 'acme/m',
    tools: [
      { type: 'custom', custom: { name: 'grep' } },
      { type: 'function', function: { name: 'f' } },
    ],
    tool_choice: { type: 'custom', custom: { name: 'grep' } },
    messages: [{ role: 'developer', content: 'Hi' }],
  },
  {
    model: 'acme/m',
    thinking: { type: 'disabled' },
    functions: [{ name: 'look', description: 'd', parameters: SCHEMA }],
    function_call: { name: 'look' },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: 'found' },
    ],
  },
  {
    model: 'acme/m',
    tools: [{ type: 'web_search' }],
    tool_choice: { type: 'web_search' },
    messages: [{ role: 'user', content: 'Hi' }],
  },
]

export const MESSAGES: readonly JsonObject[] = [
  {
    model: 'acme/m',
    max_tokens: 9000,
    stream: false,
    temperature: 0.5,
    stop_sequences: ['.'],
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    thinking: { type: 'adaptive' },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
    system: [{ type: 'text', text: 'Rules' }],
    tools: [
      { type: 'custom', name: 'look', description: 'd', input_schema: SCHEMA, strict: true },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['a.example'] },
    ],
    tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          {
            type: 'document',
            title: 't',
            citations: { enabled: false },
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
          { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
          { type: 'document', source: { type: 'file', file_id: 'f' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: '' },
          { type: 'redacted_thinking', data: 'mr1.x' },
          { type: 'text', text: 'I look.', citations: null },
          { type: 'tool_use', id: 'c1', name: 'look', input: { a: 'b' }, caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'found' }], is_error: false },
        ],
      },
      { role: 'assistant', content: [{ type: 'compaction', content: 'So far.' }] },
    ],
  },
  {
    model: 'acme/m',
    max_tokens: 9000,
    thinking: { type: 'disabled' },
    output_format: { type: 'json_schema', schema: SCHEMA },
    tool_choice: { type: 'auto' },
    messages: [{ role: 'user', content: 'Hi' }],
  },
]

export const INTERACTIONS: readonly JsonObject[] = [
  {
    model: 'acme/m',
    system_instruction: 'Rules',
    labels: { a: 'b' },
    service_tier: 'flex',
    store: false,
    generation_config: {
      temperature: 0.5,
      max_output_tokens: 9,
      stop_sequences: ['.'],
      thinking_level: 'low',
      thinking_summaries: 'auto',
      tool_choice: { allowed_tools: { mode: 'any', tools: ['look'] } },
    },
    response_format: { type: 'text', mime_type: 'application/json', schema: { type: 'object' } },
    tools: [{ type: 'function', name: 'look', description: 'd', parameters: { type: 'object' } }],
    input: [
      {
        type: 'user_input',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', data: 'iVBORw0KGgo=', mime_type: 'image/png', resolution: 'low' },
          { type: 'document', uri: 'https://a.example/b.pdf', mime_type: 'application/pdf' },
        ],
      },
      { type: 'thought', summary: [{ type: 'text', text: 'Hm' }] },
      { type: 'model_output', content: [{ type: 'text', text: 'I look.' }] },
      { type: 'function_call', id: 'c1', name: 'look', arguments: { a: 'b' } },
      { type: 'function_result', call_id: 'c1', name: 'look', result: [{ type: 'text', text: 'r' }], is_error: false },
      { type: 'user_input', content: [{ type: 'text', text: 'And?' }] },
    ],
  },
  {
    model: 'acme/m',
    input: [{ type: 'text', text: 'Hi' }],
    tools: [{ type: 'google_search' }, { type: 'code_execution' }],
    generation_config: { tool_choice: 'auto', top_p: 0.5 },
  },
]

export const CONTENTS: readonly JsonObject[] = [
  {
    systemInstruction: { role: 'user', parts: [{ text: 'Rules', thought: false }] },
    labels: { a: 'b' },
    serviceTier: 'FLEX',
    generationConfig: {
      temperature: 0.5,
      candidateCount: 1,
      stopSequences: ['.'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT' },
      responseModalities: ['TEXT'],
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
    },
    tools: [{ functionDeclarations: [{ name: 'look', description: 'd', parameters: { type: 'OBJECT' } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'See' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'a.pdf' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/b.pdf' } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { text: 'I look.' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { functionCall: { id: 'c1', name: 'look', args: { a: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'look',
              response: { output: 'found' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
            },
          },
        ],
      },
    ],
  },
  {
    system_instruction: { parts: [{ text: 'Rules' }] },
    generation_config: { max_output_tokens: 9, thinking_config: { include_thoughts: false } },
    tools: [{ google_search: {} }, { code_execution: {} }],
    contents: [
      {
        role: 'model',
        parts: [{ functionCall: { name: 'look' } }, { functionResponse: { name: 'look', response: {} } }],
      },
      { parts: [{ inline_data: { mime_type: 'audio/wav', data: 'AA==' } }] },
    ],
  },
]

export const OLLAMAS: readonly JsonObject[] = [
  {
    model: 'acme/m',
    stream: false,
    think: 'low',
    format: SCHEMA,
    options: { temperature: 0.5, num_predict: 9, stop: ['.'], low_vram: false },
    tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: SCHEMA } }],
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'See', images: ['iVBORw0KGgo='] },
      {
        role: 'assistant',
        content: '',
        thinking: 'Hm',
        tool_calls: [{ id: 'c1', type: 'function', function: { index: 0, name: 'look', arguments: { a: 'b' } } }],
      },
      { role: 'tool', content: 'found', tool_name: 'look', tool_call_id: 'c1' },
    ],
  },
]
