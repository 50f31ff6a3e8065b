import { defineCommand } from '../program/command.ts'

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'prints the completion of a shell',
  description:
    'Prints a script with which a shell completes commands, options, their values and files. Print it anew after an update.',
  options: {},
  args: {
    usage: 'SHELL',
    most: 1,
    remedy: 'Name one shell.',
    choices: async () => (await import('../completion/completion.ts')).SHELL_NAMES,
  },
  examples: [
    'source <(millrace completion bash)     # in ~/.bashrc',
    'source <(millrace completion zsh)      # in ~/.zshrc, after compinit',
    'millrace completion fish > ~/.config/fish/completions/millrace.fish',
  ],
  async run({ args: [shell], streams, commands }) {
    const { writeCompletion } = await import('../completion/completion.ts')
    return writeCompletion(shell, commands, streams)
  },
})
