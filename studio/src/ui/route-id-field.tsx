import { useId } from 'react'

/** The ID of a route, with why it is not allowed, or what it means. */
export function RouteIdField({
  value,
  problem,
  hint,
  onChange,
}: {
  value: string
  problem: string | null
  hint: string
  onChange: (value: string) => void
}) {
  const reason = useId()
  return (
    <>
      <label>
        Route ID
        <input
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={problem !== null}
          aria-describedby={reason}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <p id={reason} className="hint" aria-live="polite">
        {hint}
      </p>
    </>
  )
}
