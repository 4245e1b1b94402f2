// Adds a greeting for the application. Change it while the gateway runs.
const hour = new Date().getHours()
const time = hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
const [name = 'visitor'] = request.queryParams.name ?? []
request.headers.set('X-Greeting', `Good ${time}, ${name.replace(/[^\w ]/g, '')}`)
return next.handle(context, request)
