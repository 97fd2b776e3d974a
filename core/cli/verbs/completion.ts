/** `pipe completion`: a shell's completion of this command; the words come from `pipe --get-completions`. */
import { basename } from 'node:path';
import { ExitCode } from '../exit-codes.js';
import { CallProblem, type Verb } from '../verb.js';

const scripts: Readonly<Record<string, string>> = {
  bash: `_pipe_completion() {
  local IFS=$'\\n'
  COMPREPLY=($(pipe --get-completions "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pipe_completion pipe
`,
  zsh: `#compdef pipe
_pipe() {
  local -a words_found
  words_found=("\${(@f)$(pipe --get-completions "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${words_found[1]}" ]]; then compadd -a words_found; else _files; fi
}
compdef _pipe pipe
`,
  fish: `complete -c pipe -a '(pipe --get-completions (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

const shells = Object.keys(scripts);

export const completion: Verb = {
  words: ['completion'],
  summary: "print the shell's completion of this command",
  positionals: [{ name: 'shell', describe: 'default: the one of $SHELL', isOptional: true, choices: shells }],
  options: {},
  examples: [
    ['source <(pipe completion bash)', 'for this bash; put it into ~/.bashrc to keep it'],
    ['pipe completion fish > ~/.config/fish/completions/pipe.fish', 'for fish'],
  ],
  complete: async () => shells,
  async run(call) {
    const shell = call.rest('shell')[0] ?? basename(call.environment.SHELL ?? '');
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) {
      throw new CallProblem(
        'usage',
        `no completion for the shell "${shell}"; say one of: ${shells.join(', ')}`,
        ExitCode.usage,
      );
    }
    call.out.text(script);
    return ExitCode.ok;
  },
};
