// The completion script in an interactive zsh: its line editor loses keys on a busy machine.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'

const folder = new Folder({ 'files/route.json': '{}', 'files/sub/x': '' })
process.on('exit', () => folder[Symbol.dispose]())
const script = folder.in('gateway.zsh')

before(async () => {
  const { code, stdout } = await gateway(['completion', 'zsh'])
  assert.equal(code, 0)
  folder.write('gateway.zsh', stdout)
})

function missing(program: string): string | false {
  return spawnSync(program, ['--version']).status !== 0 && `${program} is not installed`
}

/** Presses the keys that list completions in an interactive zsh, and waits for words. */
async function zshOffers(line: string, words: readonly string[]): Promise<void> {
  const shell = spawn('script', ['--quiet', '--command', 'stty columns 200 rows 100; zsh -f -i', '/dev/null'], {
    cwd: folder.path,
    env: { ...process.env, HOME: folder.path, TERM: 'xterm' },
  })
  let text = ''
  shell.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data
  })
  try {
    shell.stdin.write(`autoload -U compinit; compinit -u -D; source ${script}; LISTMAX=1000; print rea""dy\n`)
    // Its line editor switches bracketed paste on.
    await waitUntil('zsh is ready', () => /^ready[\s\S]*\[\?2004h/m.test(text))
    const isListed = () => words.every((word) => text.includes(word))
    // Its line editor may discard keys that come before it has set up the terminal: they are pressed again.
    for (let attempt = 1; !isListed(); attempt++) {
      text = ''
      // Ctrl-U clears the line, Escape Ctrl-D is list-choices.
      shell.stdin.write(`\u0015${line}\u001b\u0004`)
      const isLast = attempt === 6
      await waitUntil('completions', isListed, 5_000).catch(() => {
        if (isLast) assert.fail(`${line}: no ${words} in:\n${text}`)
      })
    }
  } finally {
    shell.kill('SIGKILL')
  }
}

test('zsh completes commands, options, values and files', { skip: missing('zsh') || missing('script') }, async () => {
  await Promise.all([
    zshOffers('gateway ', ['validate', 'check all configuration without serving traffic']),
    zshOffers('gateway run --', ['--instance', 'Instance directory', '--json']),
    zshOffers('gateway keys generate --type ', ['rsa', 'ed25519']),
    zshOffers('gateway script check files/', ['route.json', 'sub']),
  ])
})
