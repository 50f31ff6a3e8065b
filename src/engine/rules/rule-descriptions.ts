/** A rule for the documentation. */
interface RuleDescription {
  /** The upstreams that have the rule, as a part of a sentence. */
  readonly upstreams: string
  /** The change of a request that breaks it. */
  readonly change: string
}

/** By the names of the rules, in their order. */
export const RULE_DESCRIPTIONS: Readonly<Record<string, RuleDescription>> = {
  'shared ids of calls': {
    upstreams: 'every upstream',
    change:
      'a call with the id of one that waits for its output gets another one; further outputs of a call are joined with the first',
  },
  'ids of calls': {
    upstreams: 'the Messages API, and upstreams of another protocol than the client’s',
    change: 'ids that return in a later answer get a number',
  },
  'results of calls': {
    upstreams: 'every upstream',
    change: 'a call without an output gets one that says so; an output without a call is a message of the user',
  },
  'places of results': {
    upstreams: 'upstreams whose conversation is a list of items',
    change: 'outputs before their call follow it, and with the quirk `outputsFollowCalls` all outputs, directly',
  },
  'arguments of calls': {
    upstreams: 'every upstream but OpenAI’s models',
    change: 'arguments of old calls that are not a JSON object are sent as its member `input`',
  },
  'data of media': {
    upstreams: 'every upstream',
    change:
      'plain base64 has no line breaks, no URL letters and no data URL head; an image, and a file without a type, have the type of their first bytes; a note replaces a part without data',
  },
  images: { upstreams: 'models with `images` `false`', change: 'a note replaces an image' },
  'types of images': {
    upstreams: 'OpenAI’s models, Anthropic’s and Google’s protocols, and vendors with the quirk `imageTypes`',
    change: 'a note replaces an image of a type that the upstream does not accept, such as SVG',
  },
  'addresses of images': {
    upstreams: 'models with `imageUrls` `false`',
    change: 'a note replaces an image that is an address, not data',
  },
  'files of text': {
    upstreams:
      'Bedrock, Google’s protocols, Ollama, vendors with the quirk `files` `none`, and open models in the Messages API',
    change:
      'a file of text is sent as plain text, or its text takes its place where the upstream reads no files; a note replaces a file of another type that Google refuses',
  },
  files: {
    upstreams: 'Chat Completions and the Responses API',
    change:
      'the data of a file is a data URL; at OpenAI’s models, it has a name, and a name beside the address of a file is dropped',
  },
  'names of files': { upstreams: 'Google’s protocols', change: 'the name of a file is dropped' },
  'late system messages': {
    upstreams:
      'models and vendors that take system messages at the beginning only, or need a message of the user at the end',
    change: 'later system messages are messages of the user',
  },
  functions: {
    upstreams: 'models with `tools` `false`',
    change:
      'functions are dropped, server tools stay; a call of the history is a text of the answer, and its result one of the user',
  },
  'message of the user': {
    upstreams: 'models with `needsUser`, and vendors with the quirk of this name',
    change: 'a message of the user stands before answers and calls without one',
  },
  'empty messages behind an answer': {
    upstreams: 'all but OpenAI’s models',
    change: 'an empty message of the user behind an answer asks for the rest of it, in words',
  },
  'last message': {
    upstreams: 'models with `lastRole` `user`; white space at the end, for Claude and for clients of another protocol',
    change: 'the end of an answer that the model continues is trimmed, or a message asks for the rest of it',
  },
  'tools of Claude': {
    upstreams: 'models other than Claude, and every model in other protocols than the Messages API',
    change:
      'Anthropic’s tools that the client runs (`bash`, `text_editor`, `memory`) are functions; others are dropped',
  },
  'server tools': { upstreams: 'vendors with the quirk `refusesTools`', change: 'the tool is dropped' },
  'tools of one name': {
    upstreams: 'every upstream',
    change: 'of several tools with one name, the first one is sent',
  },
  'number of tools': {
    upstreams: 'vendors with the quirk `mostTools`',
    change: 'of more tools, those that were called stay, and the first of the others',
  },
  'descriptions of tools': {
    upstreams: 'vendors with the quirk `longestDescription`',
    change: 'the end of a longer description is cut off',
  },
  effort: {
    upstreams: 'models of which is known whether and how they reason',
    change: 'the effort is the nearest one that the model has, or is dropped',
  },
  'effort beside server tools': {
    upstreams: 'OpenAI’s models, with the effort `minimal`',
    change: 'the effort is `low` in a request with tools of the server',
  },
  'reasoning of calls': {
    upstreams: 'models with `needsReasoning`',
    change:
      'where the history has calls without their reasoning, reasoning is turned off, or, of a model that always reasons, sent blank',
  },
  'forced tools': {
    upstreams: 'models that do not accept every form of a forced call, always or while they reason',
    change: 'another form forces the same call, reasoning is turned off, or a sentence requests the call',
  },
  'functions in Chat Completions': {
    upstreams: 'models with `chatTools` `without-effort` or `with-none`, in Chat Completions',
    change: 'the effort is left out, or is `none`, in requests with functions',
  },
  'parallel calls': {
    upstreams: 'models with `parallelCalls` `false`, in Chat Completions',
    change: '`parallel_tool_calls` is left out',
  },
  'reasoning of the last turn': {
    upstreams: 'models that reason by a budget, in protocols with signed reasoning',
    change: 'the effort is dropped where the model goes on with a turn that does not begin with signed reasoning',
  },
  'JSON beside functions': {
    upstreams: 'models with `jsonWithTools` `auto` or `none`',
    change: 'the format is an instruction',
  },
  'JSON beside reasoning': {
    upstreams: 'models with `jsonWhileReasoning` `false`',
    change: 'the format is an instruction in a request with reasoning',
  },
  'JSON schemas': {
    upstreams: 'models with `jsonSchema` `false`, and vendors with the quirk `noJsonSchema`',
    change: 'the schema of the answer is an instruction, beside JSON output where the vendor has it',
  },
  'JSON without a schema': {
    upstreams: 'vendors with the quirk `noJsonObject`',
    change: 'the format is an instruction',
  },
  'the word JSON': {
    upstreams: 'models with `jsonWord`',
    change: 'a sentence with the word JSON is added where no message has it',
  },
  citations: {
    upstreams: 'Claude, in the Messages API and on Bedrock',
    change: 'citations of some documents are turned on for all of them, and off beside a JSON format',
  },
  'names of formats': {
    upstreams: 'OpenAI’s models',
    change: 'the name of a schema has letters, digits, `_` and `-` only',
  },
  'one system message': {
    upstreams: 'models with the fact `oneSystem`, in the Responses API',
    change: 'system messages at the beginning are joined with the instructions; later ones are messages of the user',
  },
  sampling: {
    upstreams: 'models that refuse `temperature` and `top_p`, always or while they reason, or penalties',
    change: 'the settings are dropped',
  },
  'sampling beside other settings': {
    upstreams: 'models with `sampling` `one`, or with `samplingWhileReasoning` `default`',
    change: '`temperature` and `top_p` are dropped where the model refuses them beside its reasoning, or both together',
  },
  'sampling without a choice': {
    upstreams: 'vendors with the quirk `fullTopP`',
    change: '`top_p` is left out beside a temperature of 0',
  },
  temperature: {
    upstreams:
      'the protocols of OpenAI and Anthropic and Amazon Bedrock, vendors with `maxTemperature` or `leastTemperature`, and models with `mostTemperature`',
    change: 'the temperature is lowered to the highest one, or raised to the lowest one',
  },
  'log probabilities': {
    upstreams: 'models with `logprobs` `false`',
    change: 'log probabilities are not requested',
  },
  verbosity: {
    upstreams: 'models with `verbosities`',
    change: 'another verbosity is dropped',
  },
  'stop words': {
    upstreams: 'models with `mostStops`, or with `blankStops` `false`',
    change: 'stop words that the model refuses are left out',
  },
  'output limit': {
    upstreams: 'models with `leastOutput` or `mostOutput`',
    change: 'the limit is raised to the smallest one, or lowered to the largest one',
  },
  'service tier': {
    upstreams: 'models with `tiers`',
    change: 'another tier is dropped',
  },
  identifiers: {
    upstreams: 'models with `longestUser`, `longestSafetyId` or `longestCacheKey`',
    change: 'an identifier that is too long is dropped',
  },
  'cache breakpoints': {
    upstreams: 'protocols with cache breakpoints',
    change: 'of more than four, the first one and the last three stay; one before a longer one is kept as long',
  },
  'identifiers of persons': {
    upstreams: 'vendors with the quirk `opaqueUser`',
    change: 'a mail address or a telephone number is dropped',
  },
  'schemas that are none': {
    upstreams: 'every upstream',
    change: 'keywords with values that JSON Schema does not have get the intended value, or are left out',
  },
  'schemas of functions': {
    upstreams: 'vendors with the quirk `refusesInSchemas`',
    change: 'the schema has another form that accepts every object of the original',
  },
  'strict functions': {
    upstreams: 'models with `strictTools` `false`',
    change: 'functions are not strict',
  },
  'strict schemas': {
    upstreams: 'vendors with the quirk `strictSchemas`',
    change: 'keywords that are refused move to descriptions; a function or a format with an open schema is not strict',
  },
  'strict functions beside others': {
    upstreams: 'vendors with the quirk `oneStrictness`',
    change: 'functions are not strict beside others',
  },
  'schemas that bind': {
    upstreams: 'models with `schemas` `closed`',
    change:
      'strict functions’ and formats’ schemas are closed, and their bounds move to descriptions; others do not bind',
  },
}
