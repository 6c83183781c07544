#!/bin/sh
# Pods need no network here; this plugin only says that they have one.
cat > /dev/null
case $CNI_COMMAND in
VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.4.0"]}' ;;
ADD) echo '{"cniVersion":"0.4.0","interfaces":[{"name":"eth0","sandbox":"'"$CNI_NETNS"'"}],"ips":[{"version":"4","interface":0,"address":"10.88.0.2/16"}]}' ;;
esac
