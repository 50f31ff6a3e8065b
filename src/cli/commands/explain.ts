import { clientChoices, vendorChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'shows what a provider receives for a request',
  description:
    "Shows what each provider receives for the body of a client's request, without sending it: whether the body is passed through or translated, the upstream body with its differences from the client's, losses with reasons, cache breakpoints, and what the rules of the provider are against. Lines begin with + for added values, ~ for changed ones, > for the same value under another path, and - for removed ones; <- names where a value comes from. FILE is the body as JSON. Without a FILE, or for -, it reads the standard input. No key is needed. Exit code 1: a provider cannot receive the request, or with --strict it causes a loss.",
  options: {
    vendor: {
      value: 'VENDOR',
      isRequired: true,
      choices: vendorChoices,
      isOpen: true,
      isList: true,
      help: 'the provider, from the table or the configuration; several are separated by commas, or given one by one',
    },
    client: {
      value: 'CLIENT',
      choices: clientChoices,
      help: 'the protocol of the body; default: detected from its members',
    },
    model: { value: 'MODEL', help: "the provider's name of the model; default: the one in the body" },
    previous: {
      value: 'FILE',
      path: 'file',
      help: 'an earlier request of the same client, to compare the beginnings of both prompts',
    },
    config: { value: 'FILE', path: 'file', help: 'the configuration file, for its providers; default: no file' },
    json: { help: 'prints one JSON object, or a list of them for several providers' },
    strict: { help: 'exit code 1 if the request causes a loss' },
  },
  args: { usage: '[FILE]', most: 1, remedy: 'Run it once for each.', path: 'file' },
  examples: [
    'millrace explain --vendor anthropic --model claude-sonnet-4-5 request.json',
    'millrace explain --vendor groq,openai --previous turn-1.json turn-2.json',
    'pbpaste | millrace explain --vendor google --client openai-chat --json - | jq .losses',
  ],
  async run({ args, options, streams }) {
    const { explain } = await import('../explain.ts')
    return explain(args, options, streams)
  },
})
