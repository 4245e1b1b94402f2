import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../ui/dialog.tsx'
import { type Command, currentCommands, useCommands } from './commands.ts'

/** Finds an action by its name; opened by Ctrl-K. */
export function CommandPalette() {
  const [, go] = useLocation()
  const [isOpen, setOpen] = useState(false)
  useCommands('pages', [
    { name: 'Go to Routes', run: () => go('/routes') },
    { name: 'Go to Try it', run: () => go('/try-it') },
    { name: 'Go to Requests', run: () => go('/requests') },
    { name: 'Go to Monitor', run: () => go('/monitor') },
  ])
  useEffect(() => {
    const open = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open, { capture: true })
    return () => removeEventListener('keydown', open, { capture: true })
  }, [])
  return isOpen ? <Palette commands={currentCommands()} onClose={() => setOpen(false)} /> : null
}

function Palette({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const list = useId()
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = commands.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    // After the dialog has given the focus back.
    setTimeout(() => command.run())
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') run(shown[active])
    if (step === undefined) return
    event.preventDefault()
    setActive((active + step + shown.length) % Math.max(1, shown.length))
  }
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[active] === undefined ? undefined : `${list}-${active}`}
        value={words}
        onKeyDown={press}
        onChange={(event) => {
          setWords(event.target.value)
          setActive(0)
        }}
      />
      <div id={list} role="listbox" aria-label="Commands" className="options" tabIndex={-1}>
        {shown.map((command, index) => (
          <div
            key={command.name}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => run(command)}
          >
            {command.name}
          </div>
        ))}
      </div>
    </Dialog>
  )
}
