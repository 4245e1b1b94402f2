import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { logIn } from '../api/session.ts'
import { announceSessionChange } from '../app/other-tabs.ts'

/** Asks for the admin password. */
export function LoginPage() {
  const queries = useQueryClient()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setSending(true)
    setRefusal(null)
    try {
      await logIn(String(fields.get('user')), String(fields.get('password')))
      announceSessionChange('log-in')
      await queries.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    } finally {
      setSending(false)
    }
  }
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)} aria-labelledby="login-title">
        <h1 id="login-title">Identity Gateway Studio</h1>
        <label>
          User
          <input name="user" defaultValue="admin" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        {refusal !== null && (
          <p role="alert" className="error">
            {refusal}
          </p>
        )}
        <button type="submit" className="primary" disabled={isSending}>
          Log in
        </button>
        <p className="hint">The password is the content of secrets/gateway.admin.password of the instance.</p>
      </form>
    </main>
  )
}
