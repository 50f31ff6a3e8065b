import { LOG_FORMATS, LOG_LEVELS } from '../log/log-level.ts'
import { defineCommand } from '../program/command.ts'

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'starts the server',
  description:
    'Starts the server. SIGTERM stops it after its open streams have ended. SIGHUP reloads the configuration. With --check it does not start: the exit code is 1 if it could not.',
  options: {
    config: {
      value: 'FILE',
      path: 'file',
      help: 'the configuration file (JSON with comments); default: the file that MILLRACE_CONFIG names, else millrace.jsonc or millrace.json in this folder, else no file',
    },
    check: {
      help: 'reads the configuration, its secrets and variables, resolves the providers, prints a summary or all problems with their lines, and ends',
    },
    port: {
      value: 'PORT',
      help: 'the port, 0 for a free one; default: the configuration’s, else the variable PORT, else 8787',
    },
    host: { value: 'HOST', help: 'the name or address to listen on; default: the configuration’s' },
    workers: {
      value: 'NUMBER',
      help: 'the processes that share the address, for more than one core; default: the configuration’s, else 1',
    },
    log: {
      value: 'FORMAT',
      choices: async () => LOG_FORMATS,
      help: 'the log on the standard output; default: pretty on a terminal, else json, one object in each line',
    },
    'log-level': {
      value: 'LEVEL',
      choices: async () => LOG_LEVELS,
      help: 'the least important lines of the log; debug adds all fields of a request to pretty; default: info',
    },
  },
  args: { usage: '', most: 0, remedy: 'Name the configuration file with --config FILE.' },
  examples: [
    'millrace serve',
    'millrace serve --config millrace.json --port 9000 --log-level warn',
    'millrace serve --config millrace.json --workers 4',
    'millrace serve --config millrace.json --check',
  ],
  isServer: true,
  async run({ options, streams }) {
    if (options.check === true) {
      const { checkServe } = await import('../serve-check.ts')
      return checkServe(options, streams, process.env)
    }
    const { serve } = await import('../serve.ts')
    return serve(options)
  },
})
