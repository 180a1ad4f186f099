#!/bin/bash
# jp-titles: list conversation titles

# Read first message from host.
read -r msg
type=$(echo "$msg" | jq -r '.type')

# Handle describe request.
if [ "$type" = "describe" ]; then
    echo '{"type":"describe","name":"titles","version":"0.1.0","description":"List conversation titles","command":["titles"]}'
    exit 0
fi

# It's an init message. Signal ready.
echo '{"type":"ready"}'

# Request conversation list.
echo '{"type":"list_conversations"}'
read -r response

# Print each title.
for title in $(echo "$response" | jq -r '.data[].title'); do
    echo "{\"type\":\"print\",\"text\":\"$title\n\"}"
done

# Exit cleanly.
echo '{"type":"exit","code":0}'
