import { isatty } from 'node:tty'
import { agentChoices } from '../program/choices.ts'
import { defineCommand } from '../program/command.ts'

/** Programs that are not started. */
const PRINT_ONLY = 'cline, continue, qwen, copilot and pi'

const STANDARD_STREAMS = [0, 1, 2]

export const launchCommand = defineCommand({
  name: 'launch',
  summary: 'runs a coding agent on any provider',
  description:
    'Starts a coding agent, which must be in PATH, with any model. A server runs for this one agent, on a free port of this machine, with the provider keys of the environment and a key that only the agent receives. Variables and arguments point the agent to it; no file is written. Exit code: the agent’s, or 128 and the number of the signal that ended it. At the end, the standard error has requests, tokens, losses and failures.',
  options: {
    model: {
      value: 'MODEL',
      help: '<provider>/<model>, which serves every request of the agent; default: the models that the agent requests, from their own providers',
    },
    config: {
      value: 'FILE',
      path: 'file',
      help: 'the configuration file, as for serve. Its listen, mounts, keys and drain do not apply',
    },
    log: { value: 'FILE', path: 'file', help: 'appends the log of the server; default: no log' },
    print: {
      help: `prints the settings of the agent for a server that runs already, and starts nothing. Also for ${PRINT_ONLY}`,
    },
    url: {
      value: 'URL',
      help: 'the address of that server, without a path; default: the configuration’s, http://127.0.0.1:8787',
    },
  },
  args: { usage: 'AGENT', most: 1, remedy: 'Put the arguments of the agent after --.', choices: agentChoices },
  passed: 'ARGUMENTS',
  examples: [
    'ANTHROPIC_API_KEY=… millrace launch claude',
    'GROQ_API_KEY=… millrace launch codex --model groq/openai/gpt-oss-120b',
    'millrace launch --print pi --model groq/openai/gpt-oss-120b > ~/.pi/agent/models.json',
    'OPENAI_API_KEY=… millrace launch gemini --model openai/gpt-5 -- -p "What does this repository do?"',
  ],
  async run({ args: [agent], passed, options: { print, url, ...options }, streams }) {
    if (print === true)
      return (await import('../launch/print.ts')).printSettings(
        agent,
        { ...options, ...(url === undefined ? {} : { url }) },
        streams,
        process.env,
      )
    if (url !== undefined) throw new Error('launch: --url is the address of a running server. Add --print.')
    const { stderr } = streams
    const { launch } = await import('../launch/launch.ts')
    const hasTerminal = STANDARD_STREAMS.some((descriptor) => isatty(descriptor))
    return launch(agent, passed, options, { stderr, env: process.env, stdio: 'inherit', hasTerminal })
  },
})
